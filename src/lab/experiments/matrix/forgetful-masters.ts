import { type LooseClock } from '../../faults/clock-jump.js';
import { type Address, replicaOf } from '../../faults/failover.js';
import { LabError } from '../../errors.js';
import { killServer } from '../../faults/kill.js';
import { pause } from '../../faults/pause.js';
import { type Node } from '../../topologies/node.js';
import { until } from '../../until.js';
import { type CheckpointName } from '../../../checkpoints/checkpoint.js';
import { type Conclusion } from '../experiment.js';
import { type Answer } from '../purchase.js';
import { type Scene } from '../scene.js';
import { afterForgetting, heardInTime, ONCE_MORE, proveDecided, THE_MOMENT } from './scenario.js';

/** The line of the diagram on which the masters are shown. */
export const MASTERS = 'redlock';

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
export async function whileMastersForget(scene: Scene, forgetting: OneMasterForgets): Promise<Conclusion> {
  let [first, second] = await play(scene, ['A', 'B'], THE_MOMENT, forgetting);
  if (heardInTime(first) && (await scene.isSafe())) {
    scene.note(ONCE_MORE);
    await scene.stock(1);
    [first, second] = await play(scene, ['C', 'D'], ['beforeCommit'], forgetting);
  }
  proveDecided(scene, [first, second]);
  return first.kind === 'sold' && second.kind === 'sold'
    ? { why: 'One had the votes of 1, 2 and 3, the other those of 3, 4 and 5: two majorities.' }
    : { why: 'B could not get a majority while A had one.' };
}

async function play(
  scene: Scene,
  names: readonly [string, string],
  place: readonly CheckpointName[],
  { clock, prepare, forget }: OneMasterForgets,
): Promise<[Answer, Answer]> {
  clock?.rewind();
  const masters = await scene.stage.redlock.fresh(clock?.env);
  const [, , third, fourth, fifth] = masters;
  if (!third || !fourth || !fifth) throw new LabError('A Redlock of this experiment has five masters.');
  await prepare(third);
  await heard(scene, masters);
  await Promise.all([killServer(scene, fourth), killServer(scene, fifth)]);
  const a = scene.buyer(names[0], 1);
  await a.runUntil(place);
  await pause(scene, a);
  const votes = await Promise.all(masters.slice(0, 3).map((node) => node.ask((client) => client.dbsize())));
  scene.prove(
    `${a.name} has the votes of three`,
    `keys ${votes.join(', ')}`,
    votes.every((keys) => keys > 0),
  );
  await forget(third);
  await Promise.all([fourth.start(), fifth.start()]);
  await heard(scene, [third, fourth, fifth]);
  scene.fault(MASTERS, 'master 3 is another now; 4 and 5 come back', 'Redis forgot');
  return afterForgetting(scene, a, names[1]);
}

/** Waits until every instance that can is connected to all of them: that of B is among those. */
async function heard(scene: Scene, masters: readonly Node[]): Promise<void> {
  scene.recorder.meet({ id: MASTERS, kind: 'redis', label: 'five masters' });
  for (const node of masters) {
    await until(`${node.name} is known to the instances`, async () => {
      const clients = (await node.ask((client) => client.client('LIST'))) as string;
      const connected = clients.split('\n').filter((line) => line.includes('user=lockstock')).length;
      return connected >= (await scene.stage.troupe.awake());
    });
  }
}

interface TakeOver {
  readonly prepare: (third: Node, replica: Node) => Promise<void>;
  readonly takeOver: (third: Address, replica: Node) => Promise<void>;
}

/** The third master has a replica, which takes its place. */
export function whileReplicaTakesOver(scene: Scene, { prepare, takeOver }: TakeOver): Promise<Conclusion> {
  const { redlock } = scene.stage;
  let replica: Node | undefined;
  return whileMastersForget(scene, {
    prepare: async (third) => {
      replica = await replicaOf(scene, third);
      await prepare(third, replica);
    },
    forget: async (third) => {
      const use = (successor: Node) => redlock.takeOver(third, successor);
      if (!replica) throw new LabError('The third master has no replica.');
      await takeOver({ node: third, lane: MASTERS, use }, replica);
    },
  });
}
