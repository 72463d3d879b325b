/** An order in the stream: Redis has accepted it, its client has a receipt, and MySQL does not have it yet. */
export interface AcceptedOrder {
  readonly number: number;
  readonly strategy: string;
  readonly quantity: number;
  readonly idempotencyKey: string | null;
  readonly requestHash: string | null;
  readonly gateId: string;
  readonly runId: number;
  readonly instance: string;
  readonly attempts: number;
  readonly waitedMs: number;
  /** Left in Redis after this order. */
  readonly remaining: number;
}

/** Reads the fields that `redis-lua.lua` writes, from Redis' list of field, value, field, value, … */
export function acceptedOrder(fields: readonly string[]): AcceptedOrder {
  const field: Record<string, string | undefined> = {};
  for (let index = 0; index < fields.length; index += 2) field[fields[index] ?? ''] = fields[index + 1];
  const text = (name: string) => {
    const value = field[name];
    if (value === undefined) throw new Error(`an accepted order has no ${name}`);
    return value;
  };
  return {
    number: Number(text('number')),
    strategy: text('strategy'),
    quantity: Number(text('quantity')),
    idempotencyKey: text('key') === '' ? null : text('key'),
    // Orders that an earlier version accepted have no such field.
    requestHash: field['request'] || null,
    gateId: text('gate'),
    runId: Number(text('run')),
    instance: text('instance'),
    attempts: Number(text('attempts')),
    waitedMs: Number(text('waited')),
    remaining: Number(text('remaining')),
  };
}

export function pairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []));
}
