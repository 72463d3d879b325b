import { type StrategyListing } from '../../../strategies/registry.js';
import { type CheckpointName } from '../../../checkpoints/checkpoint.js';
import { type Answer } from '../buyer.js';
import { type Conclusion } from '../experiment.js';
import { type Scene } from '../scene.js';
import { afterForgetting, heardInTime, ONCE_MORE, THE_MOMENT } from './scenario.js';

/** What makes Redis forget: prepared before A comes, done while A is between looking and writing. */
export interface Forgetting {
  readonly prepare: () => Promise<void>;
  readonly forget: () => Promise<void>;
}

/**
 * A holds the lock, or has passed the gate; Redis forgets; B comes; A goes on. A is stopped meanwhile, though not for
 * long: its lease has not ended. A renewal that happens to be due can still tell it, and then it is tried once more. The
 * other instances are stopped while Redis forgets, or one of them might carry A's order to MySQL first.
 */
export async function whileRedisForgets(
  scene: Scene,
  { stock }: StrategyListing,
  forgetting: Forgetting,
): Promise<Conclusion> {
  let [first, second] = await play(scene, ['A', 'B'], THE_MOMENT, forgetting);
  if (heardInTime(first)) {
    scene.note(ONCE_MORE);
    [first, second] = await play(scene, ['C', 'D'], ['beforeCommit'], forgetting);
  }
  if (first.kind === 'sold' && second.kind === 'sold') {
    return {
      why: 'Redis had forgotten the first, so the second was let in beside it, and both were told that they had bought.',
    };
  }
  const guard =
    stock === 'redis' ? 'MySQL refused what the new gate let pass.' : 'The store refused the second.';
  return { why: first.kind === 'sold' || second.kind === 'sold' ? guard : 'Nobody could buy.' };
}

async function play(
  scene: Scene,
  names: readonly [string, string],
  place: readonly CheckpointName[],
  { prepare, forget }: Forgetting,
): Promise<[Answer, Answer]> {
  await prepare();
  const a = scene.buyer(names[0], 1);
  const thaw = await scene.stage.freezeAllBut(a.at);
  await a.runUntil(place);
  await a.pause();
  await forget();
  thaw();
  await scene.connected(2);
  return afterForgetting(scene, a, names[1]);
}
