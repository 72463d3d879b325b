import { type CheckpointName } from '../../src/checkpoints/checkpoint.js';
import { SeededRandom } from '../../src/lab/chaos/plan/seeded-random.js';

export interface PlannedOrder {
  readonly quantity: number;
  readonly key: string | undefined;
  /** Before its arrival, after the arrival of the order before it. */
  readonly pauseMs: number;
  /** The client hangs up this long after its arrival. */
  readonly hangsUpAfterMs: number | undefined;
}

/** What a transaction meets, and where. */
export type PlannedFault =
  | { readonly kind: 'deadlock' | 'connection lost' | 'key sold elsewhere'; readonly at: CheckpointName }
  /** COMMIT has no answer; it was executed, or not. */
  | { readonly kind: 'commit unanswered'; readonly executed: boolean };

export interface Plan {
  readonly stock: number;
  readonly orders: readonly PlannedOrder[];
  /** For the transactions in their order; most have none. */
  readonly faults: readonly (PlannedFault | undefined)[];
}

const PLACES: readonly CheckpointName[] = [
  'afterBegin',
  'afterRead',
  'beforeWrite',
  'afterWrite',
  'beforeCommit',
];
const KEYS = 4;

/** Half of the plans have no fault: the outcome of each order is then known beforehand. */
export function planOf(seed: number): Plan {
  const random = new SeededRandom(seed);
  const faulty = random.chance(0.5);
  const count = random.between(4, 24);
  return {
    stock: random.between(2, 30),
    orders: Array.from({ length: count }, () => ({
      quantity: random.between(1, 4),
      key: random.chance(0.4) ? `purchase-${random.between(1, KEYS)}` : undefined,
      pauseMs: random.chance(0.8) ? 0 : random.between(0, 6),
      hangsUpAfterMs: random.chance(0.15) ? random.between(0, 8) : undefined,
    })),
    faults: Array.from({ length: faulty ? 6 : 0 }, () => (random.chance(0.5) ? faultOf(random) : undefined)),
  };
}

function faultOf(random: SeededRandom): PlannedFault {
  const kind = random.oneOf([
    'deadlock',
    'connection lost',
    'key sold elsewhere',
    'commit unanswered',
  ] as const);
  if (kind === 'commit unanswered') return { kind, executed: random.chance(0.5) };
  return { kind, at: kind === 'key sold elsewhere' ? 'beforeWrite' : random.oneOf(PLACES) };
}
