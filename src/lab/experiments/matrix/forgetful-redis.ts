import { type StrategyListing } from '../../../strategies/registry.js';
import { type Conclusion } from '../experiment.js';
import { type Scene } from '../scene.js';
import { THE_MOMENT } from './scenario.js';

/** What makes Redis forget: prepared before A comes, done while A is between looking and writing. */
export interface Forgetting {
  readonly prepare: () => Promise<void>;
  readonly forget: () => Promise<void>;
}

/**
 * A holds the lock, or has passed the gate; Redis forgets; B comes; A goes on. A is stopped meanwhile, though not for
 * long: its lease has not ended, and no renewal can tell it. The other instances are stopped while Redis forgets, or one of
 * them might carry A's order to MySQL first.
 */
export async function whileRedisForgets(
  scene: Scene,
  { stock }: StrategyListing,
  { prepare, forget }: Forgetting,
): Promise<Conclusion> {
  await prepare();
  const others = [scene.instance(2), scene.instance(3)];
  const a = scene.buyer('A', 1);
  await Promise.all(others.map((player) => player.freeze()));
  await a.runUntil(THE_MOMENT);
  await a.pause();
  await forget();
  for (const player of others) player.resume();
  await scene.connected(2);
  const b = scene.buyer('B', 2);
  const halt = await b.runUntil([], { orWaits: 'in-mysql' });
  a.resume();
  const [first, second] = [await a.answer(), await b.answer()];
  scene.recorder.expectOrder(
    'A paused',
    'Redis forgot',
    halt === 'waits' ? 'B waits' : `B ${second.kind}`,
    'A resumed',
  );
  if (first.kind === 'sold' && second.kind === 'sold') {
    return {
      why: 'Redis had forgotten A, so B was let in beside it, and both were told that they had bought.',
    };
  }
  const guard =
    stock === 'redis' ? 'MySQL refused what the new gate let pass.' : 'The store refused the second.';
  return { why: first.kind === 'sold' || second.kind === 'sold' ? guard : 'Nobody could buy.' };
}
