import { type LooseClock } from '../../faults/clock-jump.js';
import { type Node } from '../../topologies/node.js';
import { until } from '../../until.js';
import { type Conclusion } from '../experiment.js';
import { type Scene } from '../scene.js';
import { THE_MOMENT } from './scenario.js';

interface OneMasterForgets {
  /** For a fault of the clock: the one by which the third master goes. */
  readonly clock?: LooseClock;
  readonly prepare: (third: Node) => Promise<unknown>;
  readonly forget: (third: Node) => Promise<void>;
}

/**
 * Two of five masters are down, so A has the votes of the other three. One of those forgets; the two come back; B gets
 * the votes of all three that know nothing of A. Both have a majority.
 */
export async function whileMastersForget(
  scene: Scene,
  { clock, prepare, forget }: OneMasterForgets,
): Promise<Conclusion> {
  const masters = await scene.stage.freshMasters(clock?.env);
  const [, , third, fourth, fifth] = masters;
  if (!third || !fourth || !fifth) throw new Error('a Redlock of this experiment has five masters');
  await prepare(third);
  await heard(scene, masters);
  await Promise.all([fourth.kill(), fifth.kill()]);
  scene.prove('two masters are down', 'both gone', !fourth.running && !fifth.running);
  const a = scene.buyer('A', 1);
  await a.runUntil(THE_MOMENT);
  await a.pause();
  const votes = await Promise.all(masters.slice(0, 3).map((node) => node.ask((client) => client.dbsize())));
  scene.prove(
    'A has the votes of three',
    `keys ${votes.join(', ')}`,
    votes.every((keys) => keys > 0),
  );
  await forget(third);
  await Promise.all([fourth.start(), fifth.start()]);
  await heard(scene, [third, fourth, fifth]);
  scene.fault('redlock', 'one master forgets, two come back', 'Redis forgot');
  const b = scene.buyer('B', 2);
  const answer = await b.finish();
  a.resume();
  const first = await a.answer();
  scene.recorder.expectOrder('A paused', 'Redis forgot', `B ${answer.kind}`, 'A resumed');
  return first.kind === 'sold' && answer.kind === 'sold'
    ? { why: 'A had the votes of 1, 2 and 3, B those of 3, 4 and 5: two majorities.' }
    : { why: 'B could not get a majority while A had one.' };
}

/** Waits until every instance that can is connected to all of them: that of B is among those. */
async function heard(scene: Scene, masters: readonly Node[]): Promise<void> {
  scene.recorder.meet({ id: 'redlock', kind: 'redis', label: 'five masters' });
  for (const node of masters) {
    await until(`${node.name} is known to the instances`, async () => {
      const clients = (await node.ask((client) => client.client('LIST'))) as string;
      const connected = clients.split('\n').filter((line) => line.includes('user=lockstock')).length;
      return connected >= (await scene.stage.awake());
    });
  }
}
