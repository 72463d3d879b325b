import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AcquireOptions, type Lease } from '../../../src/locks/index.js';
import { sleepUntil } from '../clock.js';
import { type Caller } from '../plan/plan.js';
import { type FuzzClient } from './fuzz-client.js';
import { HeldByCaller } from './held.js';
import { type ClientLog } from './log.js';
import { nestedEntries } from './nested.js';
import { CallerLeft, reasonOf, WorkFailed } from './reason.js';

/** Does what the plan says of one caller, and logs what it observes. Never rejects. */
export async function perform(
  client: FuzzClient,
  log: ClientLog,
  id: string,
  caller: Caller,
  startAt: number,
): Promise<void> {
  await sleepUntil(startAt + caller.startMs);
  for (let round = 0; round < caller.rounds; round += 1)
    await new Call(client, log, `${id}.${round}`, caller).run();
}

/** One `acquire` or `using`, from the call to the release. */
export class Call {
  private readonly left = new AbortController();
  /** Calls that this call's work made and did not wait for. */
  private readonly detached: Promise<void>[] = [];

  constructor(
    private readonly client: FuzzClient,
    private readonly log: ClientLog,
    private readonly id: string,
    private readonly caller: Caller,
    private readonly within?: string,
  ) {}

  async run(): Promise<void> {
    const { keys, role, waitMs, leaseMs, abortAfterMs, via } = this.caller;
    const timer = abortAfterMs === undefined ? undefined : setTimeout(this.leave, abortAfterMs);
    this.log.call(this.id, { type: 'acquire', keys, role, waitMs, leaseMs, within: this.within });
    const options = { waitMs, leaseMs, signal: this.left.signal };
    await (via === 'using' ? this.use(options) : this.acquire(options));
    clearTimeout(timer);
    await Promise.all(this.detached);
    const count = getEventListeners(this.left.signal, 'abort').length;
    if (count > 0) this.log.call(this.id, { type: 'listeners left', count });
  }

  private readonly leave = () => {
    this.log.call(this.id, { type: 'aborted by caller' });
    this.left.abort(new CallerLeft('The caller left.'));
  };

  private async use(options: AcquireOptions): Promise<void> {
    const granted: HeldByCaller[] = [];
    const work = async (lease: Lease) => {
      const held = this.held(lease);
      granted.push(held);
      const failed = await this.work(lease, held).catch((error: unknown) => error);
      const threw = failed !== undefined || this.caller.end === 'throw';
      held.workEnded(threw);
      if (threw) throw failed instanceof WorkFailed ? failed : new WorkFailed('The work failed.');
    };
    try {
      const [first, second] = this.caller.keys.map(this.name);
      if (first === undefined) return;
      await (second !== undefined && this.client.multi
        ? this.client.multi.usingAll([first, second], options, work)
        : this.client.lock(this.caller.role).using(first, options, work));
      this.log.call(this.id, { type: 'using settled', outcome: 'resolved', message: '' });
    } catch (error) {
      const outcome = error instanceof WorkFailed ? 'work error' : reasonOf(error);
      if (granted.length > 0)
        this.log.call(this.id, { type: 'using settled', outcome, message: String(error) });
      else this.log.call(this.id, { type: 'refused', reason: reasonOf(error), message: String(error) });
    }
  }

  private async acquire(options: AcquireOptions): Promise<void> {
    let lease: Lease;
    try {
      const [first = '', second] = this.caller.keys.map(this.name);
      lease = await (second !== undefined && this.client.multi
        ? this.client.multi.acquireAll([first, second], options)
        : this.client.lock(this.caller.role).acquire(first, options));
    } catch (error) {
      this.log.call(this.id, { type: 'refused', reason: reasonOf(error), message: String(error) });
      return;
    }
    const held = this.held(lease);
    await this.work(lease, held).catch(() => undefined);
    if (this.caller.end === 'forget' && options.leaseMs !== undefined) return;
    await held.release();
    if (this.caller.releaseTwice) await held.release();
  }

  private async work(lease: Lease, held: HeldByCaller): Promise<void> {
    const { holdMs, end, nested, downgradeAfterMs } = this.caller;
    if (nested) {
      const entries = nestedEntries(nested, this.caller, (suffix, inner) =>
        new Call(this.client, this.log, `${this.id}${suffix}`, inner, this.id).run(),
      );
      this.detached.push(...entries.detached);
      await entries.awaited;
    }
    if (downgradeAfterMs !== undefined && this.client.downgrade) {
      await held.hold(downgradeAfterMs);
      await this.downgrade(lease, held);
    } else if (end === 'expire') await held.untilItEnds();
    else await held.hold(holdMs);
  }

  /** The write lease ends here; the read lease is a hold of its own. */
  private async downgrade(lease: Lease, held: HeldByCaller): Promise<void> {
    const reader: Caller = { ...this.caller, role: 'reader' };
    const id = `${this.id}.downgraded`;
    const { keys, leaseMs } = reader;
    this.log.call(this.id, { type: 'downgrade called' });
    this.log.call(id, { type: 'acquire', keys, role: 'reader', waitMs: 0, leaseMs });
    try {
      const read = await this.client.downgrade?.(lease);
      if (!read) return;
      const reading = new HeldByCaller(this.log, id, read, reader, this.name);
      await reading.hold(reader.holdMs);
      await reading.release();
    } catch (error) {
      this.log.call(id, { type: 'refused', reason: reasonOf(error), message: String(error) });
    }
    held.sample();
    await sleep(0);
  }

  private held(lease: Lease): HeldByCaller {
    return new HeldByCaller(this.log, this.id, lease, this.caller, this.name);
  }

  private readonly name = this.nameOf.bind(this);

  private nameOf(key: Caller['keys'][number]): string {
    return this.client.name(key);
  }
}
