import { type Step, type StoredState } from '../../contract/evidence.js';
import { type ServerAnswer } from './answer-text.js';
import { type LockChange, lockChange, StoredLocks } from './stored-locks.js';
import { StoredStock } from './stored-stock.js';

/** A step, its buyer, and for a command what was sent and returned. */
export interface Happened {
  readonly buyer: string;
  readonly step: Step;
  readonly server?: string;
  /** With its values in their places. */
  readonly command?: string;
  readonly answer?: ServerAnswer;
  readonly told: string;
}

/** A Redis that has other data afterwards. */
const LOSES_DATA = /without its|clock jumps|evicts|deletes the lock|has lost/;
/** Its replica does not have the last writes from here on, and replaces it. */
const CUT = /\bis cut$|stops replicating|held back|nothing passes/;
const REPLACED = /takes over|promote/;
/** Which of the later orders belong to it is not told by the steps. */
const NEW_RUN = /^a new run begins/;
const LEASE_ENDS = /the lease of (.+) expires$/;

/** What is stored after each step of one run: derived from the answers of the servers, in the order of the story. */
export class StoryState {
  private readonly stock: StoredStock;
  private readonly locks = new StoredLocks();
  /** The instance of each buyer. */
  private readonly instances = new Map<string, string>();
  /** Servers whose replicas do not follow. */
  private readonly cut = new Set<string>();
  private shown = '';

  constructor(inventory: number) {
    this.stock = new StoredStock(inventory);
  }

  /** A lease must have ended if another buyer is granted the lock now. Its holder, if so. */
  expiredBy(happened: Happened): string | undefined {
    const change = changeOf(happened);
    return change && this.locks.expiredBy(change, happened.buyer, laneOf(happened));
  }

  expire(holder: string): void {
    this.locks.expire(holder);
  }

  take(happened: Happened): void {
    const { step, buyer, command, server, answer, told } = happened;
    if (step.kind === 'request' && step.to !== undefined) this.instances.set(step.actor, step.to);
    if (step.kind === 'time') this.locks.expire(LEASE_ENDS.exec(step.text)?.[1] ?? '');
    if (step.kind === 'fault') this.suffer(step);
    if (command === undefined || server === undefined) return;
    this.stock.execute({ buyer, server, command, answer, told });
    const change = changeOf(happened);
    if (change) this.locks.change(change, buyer, laneOf(happened));
  }

  /** The state, if it differs from the one that was asked for before. */
  get changed(): StoredState | undefined {
    const { inventory, sold, redisStock } = this.stock;
    const { locks } = this.locks;
    const state = {
      ...(inventory !== undefined && { inventory }),
      ...(sold !== undefined && { sold }),
      ...(redisStock !== undefined && { redisStock }),
      ...(locks && { locks }),
    };
    const text = JSON.stringify(state);
    if (text === this.shown) return undefined;
    this.shown = text;
    return state;
  }

  private suffer({ to = '', text }: Step): void {
    const ended = text.includes('is killed') || text.startsWith('kill -9');
    for (const [buyer, instance] of this.instances)
      if (ended && (to === instance || to === 'mysql')) this.disconnect(buyer);
    if (NEW_RUN.test(text)) this.stock.sold = undefined;
    if (CUT.test(text)) this.cut.add(to);
    if (!LOSES_DATA.test(text) && !(REPLACED.test(text) && this.cut.has(to))) return;
    this.locks.lose((at) => at === to);
    if (to === 'redis') this.stock.loseRedis();
  }

  private disconnect(buyer: string): void {
    this.stock.disconnect(buyer);
    this.locks.disconnect(buyer);
  }
}

function changeOf({ command, answer, told }: Happened): LockChange | undefined {
  return command !== undefined && answer && answer.error === undefined
    ? lockChange(command, told)
    : undefined;
}

/** Where the command was executed: a reply comes from there. */
function laneOf({ step: { kind, actor, to } }: Happened): string {
  return (kind === 'reply' ? actor : to) ?? '';
}
