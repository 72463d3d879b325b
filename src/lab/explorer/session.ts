import { type Situation, type SessionMove } from '../../contract/lab-sessions.js';
import { LabError } from '../errors.js';
import { type ExploredBed, type StockState } from './explored-bed.js';
import { CRASH, EXPIRY, LOSS } from './injected-faults.js';
import { type Choice } from './model.js';
import { findingOf, type ScheduleOutcome } from './outcome.js';
import { type RealSystem } from './real-system.js';
import { playedStep } from './replay.js';
import { scheduleOf, tokenOf } from './schedule.js';
import { NotRepeatable } from './search.js';
import { buyersOf, movesOf } from './situation.js';

/**
 * Requests are held no longer than this: leases and waits in the servers end in real time. Afterwards the moves are
 * repeated when the next one is made.
 */
const HELD_MS = 10_000;
const ATTEMPTS = 3;

/** A move that cannot be made now. The message says why, and what can be done. */
export class MoveRefused extends LabError {}

/** A run whose next step is chosen from outside: by a user who is the scheduler. */
export class Session {
  /** The ids of the choices that were made. */
  private taken: string[] = [];
  /** The same moves as a schedule names them. */
  private tokens: string[] = [];
  private readonly after: StockState[] = [];
  private current: Situation = { buyers: [], moves: [], stock: NOTHING, steps: [], schedule: '' };
  private startedAt = -Infinity;
  private isHeld = false;
  private timer: NodeJS.Timeout | undefined;
  private work: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly system: RealSystem,
    private readonly bed: ExploredBed,
  ) {}

  /** The session closes the bed. */
  static async begin(system: RealSystem, bed: ExploredBed): Promise<Session> {
    const session = new Session(system, bed);
    system.withSource = true;
    await session.again([]);
    return session;
  }

  get situation(): Situation {
    return this.current;
  }

  /** Makes one move, such as `A`, `A@redlock-2` or `expire A`. */
  move(wanted: string): Promise<Situation> {
    return this.alone(async () => {
      const { id } = moveNamed(wanted, this.current);
      const isLive = this.isHeld && performance.now() - this.startedAt <= HELD_MS;
      if (isLive && this.find(id)) await this.take(id);
      else await this.play([...this.taken, id]);
      return this.look();
    });
  }

  /** Repeats the run without its last moves. */
  undo(moves = 1): Promise<Situation> {
    return this.alone(() => {
      if (this.taken.length < moves)
        throw new MoveRefused(
          `${moves === 1 ? 'There is no move' : `There are no ${moves} moves`} to undo; ${this.taken.length} were made.`,
        );
      return this.again(this.taken.slice(0, -moves));
    });
  }

  /** Finishes the requests that are held. The next move repeats the earlier ones first. */
  forgetHeld(): Promise<void> {
    return this.alone(() => this.finish());
  }

  /** The servers keep running. */
  async close(): Promise<void> {
    await this.forgetHeld().catch(() => undefined);
    this.bed.close();
  }

  private async again(ids: readonly string[]): Promise<Situation> {
    await this.play(ids);
    return this.look();
  }

  /** From the start. The same moves lead to the same state, unless a server timed out on a busy machine. */
  private async play(ids: readonly string[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.begin();
        for (const id of ids) await this.take(id);
        return;
      } catch (error) {
        if (!(error instanceof NotRepeatable)) throw error;
        if (attempt === ATTEMPTS)
          throw new LabError(`The moves led to another state when they were repeated. ${error.message}.`);
      }
    }
  }

  private async begin(): Promise<void> {
    clearTimeout(this.timer);
    this.isHeld = true;
    await this.system.restart();
    this.startedAt = performance.now();
    this.timer = setTimeout(() => void this.forgetHeld().catch(() => undefined), HELD_MS);
    this.timer.unref();
    this.taken = [];
    this.tokens = [];
    this.after.length = 0;
  }

  private async take(id: string): Promise<void> {
    const choices = this.system.choices();
    const choice = this.find(id);
    if (!choice)
      throw new NotRepeatable(
        `${id} was possible, and now ${choices.map((one) => one.id).join(', ') || 'nothing'} is`,
      );
    await this.system.take(choice);
    this.taken.push(choice.id);
    this.tokens.push(tokenOf(choice, choices));
    this.after.push(await this.state());
  }

  private find(id: string): Choice | undefined {
    const choices = this.system.choices();
    return choices.find((one) => one.id === id || tokenOf(one, choices) === id);
  }

  private async look(): Promise<Situation> {
    const { system } = this;
    const choices = system.choices();
    const buyers = system.situation();
    let outcome: ScheduleOutcome | undefined;
    if (choices.length === 0) {
      clearTimeout(this.timer);
      this.isHeld = false;
      outcome = await system.outcome();
    }
    this.current = {
      buyers: buyersOf(buyers, choices),
      moves: movesOf(buyers, choices),
      stock: this.after.at(-1) ?? (await this.state()),
      steps: system.steps.map((step, index) => ({
        ...playedStep(system, step, index, this.after[index] as StockState),
        ...(step.choice.fault && { fault: step.choice.id }),
      })),
      schedule: scheduleOf(this.tokens),
      ...(outcome && { outcome: { ...outcome, finding: findingOf(outcome) } }),
    };
    return this.current;
  }

  private state(): Promise<StockState> {
    return this.bed.state(this.system.owners());
  }

  private async finish(): Promise<void> {
    clearTimeout(this.timer);
    if (!this.isHeld) return;
    this.isHeld = false;
    await this.system.finish();
  }

  /** One thing at a time. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.work.then(work);
    this.work = result.catch(() => undefined);
    return result;
  }
}

const NOTHING: StockState = { inventory: 0, orders: 0, locks: [] };

function moveNamed(wanted: string, { buyers, moves, steps, outcome }: Situation): SessionMove {
  const found =
    moves.find(({ id }) => id === wanted) ??
    moves.find(({ kind, buyer }) => kind === 'step' && buyer === wanted) ??
    moves.find(({ kind, id }) => kind === 'fault' && id.startsWith(`${wanted}@`));
  if (found) return found;
  if (outcome)
    throw new MoveRefused(`The run has ended: ${outcome.finding}. Undo a move, or begin another run.`);
  const possible = `Possible moves: ${moves.map(({ id }) => id).join(', ')}.`;
  const buyer = buyers.find(({ name }) => name === wanted);
  if (/^[a-z]/.test(wanted)) throw new MoveRefused(`${wanted}: ${whyNoFault(wanted, steps)}. ${possible}`);
  if (!buyer) throw new MoveRefused(`${JSON.stringify(wanted)} is not a possible move. ${possible}`);
  throw new MoveRefused(`${wanted} cannot continue: ${WHY[buyer.doing]}. ${possible}`);
}

function whyNoFault(wanted: string, steps: Situation['steps']): string {
  const [what = ''] = wanted.split(' ');
  const earlier = steps.find(({ fault }) => fault);
  if (earlier) return `a run has one fault, and this one had it already (${earlier.fault ?? ''})`;
  return WHY_NO_FAULT[what] ?? 'there is no such fault';
}

const WHY_NO_FAULT: Readonly<Record<string, string>> = {
  [EXPIRY]: 'the buyer has no lease that can end',
  [CRASH]: 'the buyer has sent nothing yet, waits in a server, or has its answer',
  [LOSS]: 'the buyer is not about to send a command',
};

const WHY = {
  held: 'it is about to send a command',
  polls: 'it would get the same answer again until another buyer changes what it reads',
  blocked: 'its command waits for a lock in the server',
  idle: 'it waits for a message, a pause or a lock inside its instance',
  ended: 'it has its answer',
} as const;
