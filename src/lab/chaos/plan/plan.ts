import { z } from 'zod';

const goods = z.int().min(1);
const quantity = z.int().min(1).max(100);
const strategy = z.string();
/** Names a key within the plan. Each round, and each repetition of a client's steps, derives a new key from it. */
const key = z.string().optional();

const step = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('sell'), goods, strategy, quantity, key }),
  z.strictObject({
    do: z.literal('basket'),
    strategy,
    items: z.array(z.strictObject({ goods, quantity })).min(1),
    key,
  }),
  /** The same purchase by several strategies at once, with one key. */
  z.strictObject({ do: z.literal('twins'), goods, strategies: z.array(strategy).min(2), quantity, key }),
  /** Cancels one of the latest receipts of all clients, `times` at once; `forged` with a wrong token. */
  z.strictObject({
    do: z.literal('cancel'),
    pick: z.int().min(0),
    times: z.int().min(1),
    forged: z.boolean().optional(),
  }),
  z.strictObject({ do: z.literal('cancel-unknown'), orderId: z.int().min(1) }),
  z.strictObject({ do: z.literal('reset'), goods, stock: z.int().min(0) }),
  z.strictObject({ do: z.literal('read'), goods }),
  z.strictObject({ do: z.literal('list') }),
  z.strictObject({ do: z.literal('strategies') }),
  /** Asks an instance whether it is ready. */
  z.strictObject({ do: z.literal('health') }),
  z.strictObject({ do: z.literal('audit'), goods }),
  /** Overload: many purchases at once. */
  z.strictObject({ do: z.literal('burst'), goods, strategy, quantity, buyers: z.int().min(1) }),
  z.strictObject({ do: z.literal('malformed'), kind: z.string(), times: z.int().min(1) }),
  z.strictObject({ do: z.literal('wait'), ms: z.int().min(0) }),
]);

export const FAULT_KINDS = ['kill', 'pause'] as const;
export const VICTIMS = ['instance', 'redis', 'mariadb'] as const;

const fault = z.strictObject({
  afterMs: z.int().min(0),
  kind: z.enum(FAULT_KINDS),
  victim: z.enum(VICTIMS),
  /** The index of the instance, modulo the number of instances. */
  which: z.int().min(0),
  /** How long a pause lasts. */
  ms: z.int().min(0),
});

/** Everything that one round does: plain data, so that it can be written to a file, shrunk and repeated. */
export const planSchema = z.strictObject({
  seed: z.int().min(0),
  goods: z.array(z.strictObject({ id: goods, stock: z.int().min(0), strategies: z.array(strategy).min(1) })),
  /** Strategies that the instances must not offer; clients still try to buy with them. */
  disabled: z.array(strategy).optional(),
  /** What each client does, one step after the other. */
  clients: z.array(z.array(step)),
  /** The clients repeat their steps for at least this time; 0 means once. */
  lastsMs: z.int().min(0),
  /** One after the other, each `afterMs` after the end of the previous one. */
  faults: z.array(fault),
});

export type Plan = z.infer<typeof planSchema>;
export type PlanStep = z.infer<typeof step>;
export type FaultStep = z.infer<typeof fault>;

/** The names of all strategies that the plan uses. */
export function strategiesOf({ goods, clients }: Plan): string[] {
  const ofSteps = clients.flat().flatMap((step) => {
    if ('strategies' in step) return step.strategies;
    return 'strategy' in step ? [step.strategy] : [];
  });
  return [...new Set([...goods.flatMap(({ strategies }) => strategies), ...ofSteps])];
}

/** The number of requests; each request of a burst counts. */
export function sizeOf(plan: Plan): number {
  return plan.clients.flat().reduce((sum, step) => sum + requestsOf(step), 0) + plan.faults.length;
}

function requestsOf(step: PlanStep): number {
  if (step.do === 'burst') return step.buyers;
  if (step.do === 'twins') return step.strategies.length;
  return 'times' in step ? step.times : 1;
}
