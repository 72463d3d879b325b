import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckpointName, type Observer } from '../../src/checkpoints/checkpoint.js';
import { DUPLICATE_ENTRY, mysqlErrno } from '../../src/database/mysql-errors.js';
import { AlreadySold, ClientGone, OutcomeUnknown, SoldOut } from '../../src/errors.js';
import { type Batch } from '../../src/strategies/process/batch.js';
import { judge, nameOf, type Told } from './judge.js';
import { type PlannedFault, planOf } from './plan.js';
import { type ModelShop } from './shop.js';

/** Longer than any fault takes; an order that is not answered by then never is. */
const ANSWER_WITHIN_MS = 20_000;

/** Injects the faults of a plan into the transactions of the batches, at their checkpoints and at COMMIT. */
export class FaultInjector implements Observer {
  private faults: (PlannedFault | undefined)[] = [];
  private current: PlannedFault | undefined;
  /** Whether a fault has fired after which orders may fail. */
  fired = false;
  readonly soldElsewhere: { key: string; linesBefore: number }[] = [];
  private keys: readonly string[] = [];

  constructor(private readonly shop: ModelShop) {}

  plan(faults: readonly (PlannedFault | undefined)[], keys: readonly string[]): void {
    this.faults = [...faults];
    this.keys = keys;
    this.soldElsewhere.length = 0;
    this.fired = false;
  }

  holdsCommands(): boolean {
    return false;
  }

  async arrive(name: CheckpointName): Promise<void> {
    if (name === 'afterBegin') this.current = this.faults.shift();
    // Lets further orders arrive at every step.
    await new Promise(setImmediate);
    const fault = this.current;
    if (!fault || fault.kind === 'commit unanswered' || fault.at !== name) return;
    this.current = undefined;
    if (fault.kind === 'key sold elsewhere') return this.sellElsewhere();
    this.fired = true;
    if (fault.kind === 'connection lost') return this.shop.kill();
    throw Object.assign(new Error('Deadlock found'), { errno: 1213, code: 'ER_LOCK_DEADLOCK' });
  }

  async query<T>(_server: 'mysql' | 'redis', text: string, send: () => Promise<T>): Promise<T> {
    const fault = this.current;
    if (text !== 'COMMIT' || fault?.kind !== 'commit unanswered') return send();
    this.current = undefined;
    this.fired = true;
    if (fault.executed) await send();
    await this.shop.kill();
    return send();
  }

  unobserved<T>(work: () => T): T {
    return work();
  }

  private async sellElsewhere(): Promise<void> {
    const linesBefore = (await this.shop.ledger()).length;
    for (const key of this.keys) {
      if (!(await this.shop.sellElsewhere(key))) continue;
      this.soldElsewhere.push({ key, linesBefore });
      return;
    }
  }
}

/** One plan against the real database. Resolves with the first difference from the sequential specification. */
export async function round(
  seed: number,
  batch: Batch,
  shop: ModelShop,
  faults: FaultInjector,
): Promise<string | undefined> {
  const plan = planOf(seed);
  const goodsId = await shop.reset(plan.stock);
  faults.plan(
    plan.faults,
    plan.orders.flatMap(({ key }) => key ?? []),
  );
  const told = plan.orders.map((): Told | undefined => undefined);
  const answers: Promise<void>[] = [];
  for (const [index, { quantity, key, pauseMs, hangsUpAfterMs }] of plan.orders.entries()) {
    if (pauseMs > 0) await sleep(pauseMs);
    const client = new AbortController();
    if (hangsUpAfterMs !== undefined)
      setTimeout(() => {
        client.abort();
      }, hangsUpAfterMs);
    const order = { goodsId, quantity, strategy: nameOf(index), idempotencyKey: key, signal: client.signal };
    answers.push(
      batch.deduct(order).then(
        (sale) => void (told[index] = { kind: 'sold', sale }),
        (error: unknown) => void (told[index] = refusal(error)),
      ),
    );
  }
  await Promise.race([Promise.all(answers), sleep(ANSWER_WITHIN_MS, undefined, { ref: false })]);
  return judge({
    plan,
    told,
    ledger: await shop.ledger(),
    soldElsewhere: faults.soldElsewhere,
    remaining: await shop.remaining(),
    faulted: faults.fired,
  });
}

function refusal(error: unknown): Told {
  const why = error instanceof Error ? `${error.constructor.name}: ${error.message}` : String(error);
  if (error instanceof SoldOut) return { kind: 'sold-out', why };
  // The use case answers both with the receipt of the first order.
  if (error instanceof AlreadySold || mysqlErrno(error) === DUPLICATE_ENTRY) return { kind: 'repeated', why };
  if (error instanceof ClientGone) return { kind: 'gone', why };
  if (error instanceof OutcomeUnknown) return { kind: 'unknown', why };
  return { kind: 'refused', why };
}
