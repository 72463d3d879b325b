import { type AofMark, cutPower, markAof } from '../../faults/aof-cut.js';
import { type Address, failOver, promote, replicaOf, severReplication } from '../../faults/failover.js';
import { type Node } from '../../topologies/node.js';
import { until } from '../../until.js';
import { type Experiment } from '../experiment.js';
import { whileMastersForget } from '../matrix/forgetful-masters.js';
import { type Scene } from '../scene.js';

/** The line of the diagram on which `whileMastersForget` shows the masters. */
const LANE = 'redlock';

/** C17: what saves a Redlock from a master that restarts, and what nothing saves it from. */
export const REDLOCK_MASTERS: readonly Experiment[] = [
  {
    id: 'redlock-restart-with-file',
    title: 'A master of the Redlock restarts and has written everything down',
    claims: ['C17', 'P8'],
    strategy: 'redlock',
    fault: 'crash',
    twinOf: 'empty-restart.redlock',
    expected: 'holds',
    lease: 'long',
    stock: 1,
    run: (scene) =>
      whileMastersForget(scene, {
        prepare: () => Promise.resolve(),
        forget: async (third) => {
          await third.kill();
          scene.prove(`${third.name} is dead`, third.running ? 'it runs' : 'gone', !third.running);
          await third.start();
          const keys = await third.ask((client) => client.dbsize());
          scene.prove('it still knows its vote', `${keys} keys`, keys > 0);
        },
      }),
  },
  {
    id: 'redlock-power-cut',
    title: 'A master of the Redlock restarts without the end of its file',
    claims: ['C17', 'P8'],
    strategy: 'redlock',
    fault: 'power-cut',
    expected: 'OVERSOLD',
    lease: 'long',
    stock: 1,
    run: (scene) => {
      let mark: AofMark | undefined;
      return whileMastersForget(scene, {
        prepare: async (third) => (mark = await markAof(third)),
        forget: async (third) => {
          if (mark) await cutPower(scene, third, mark);
        },
      });
    },
  },
  {
    id: 'redlock-replica-behind',
    title: 'A replica takes over a master of the Redlock, and has not heard of A',
    claims: ['C17'],
    strategy: 'redlock',
    fault: 'failover',
    expected: 'OVERSOLD',
    lease: 'long',
    stock: 1,
    run: (scene) =>
      whileReplicaTakesOver(scene, {
        prepare: (third, replica) => severReplication(scene, third, replica, LANE),
        takeOver: (third, replica) => failOver(scene, addressOf(scene, third), replica),
      }),
  },
  {
    id: 'redlock-replica-in-step',
    title: 'A replica takes over a master of the Redlock, and has A’s vote too',
    claims: ['C17'],
    strategy: 'redlock',
    fault: 'failover',
    twinOf: 'redlock-replica-behind',
    expected: 'holds',
    lease: 'long',
    stock: 1,
    run: (scene) =>
      whileReplicaTakesOver(scene, {
        prepare: () => Promise.resolve(),
        takeOver: async (third, replica) => {
          const keys = await until(
            'the replica has the vote',
            async () => (await replica.ask((client) => client.dbsize())) || undefined,
          );
          scene.prove('the replica has A’s vote', `${keys} keys`, keys > 0);
          await promote(scene, addressOf(scene, third), replica);
        },
      }),
  },
  {
    id: 'redlock-majority-down',
    title: 'With a majority of masters down nobody can lock',
    claims: ['C17'],
    strategy: 'redlock',
    fault: 'crash',
    expected: 'BLOCKED',
    lease: 'long',
    stock: 1,
    async run(scene) {
      const masters = await scene.stage.redlock.fresh();
      const dead = masters.slice(0, 3);
      await Promise.all(dead.map((master) => master.kill()));
      scene.recorder.meet({ id: LANE, kind: 'redis', label: 'five masters' });
      scene.fault(LANE, 'three of five masters are killed', 'majority down');
      scene.prove(
        'three masters are gone',
        'all gone',
        dead.every(({ running }) => !running),
      );
      const answer = await scene.buyer('A', 1).finish();
      const { sold } = await scene.settledAudit();
      await scene.stage.redlock.fresh();
      scene.recorder.expectOrder('majority down', `A ${answer.kind}`);
      return {
        ...(sold === 0 && { finding: 'BLOCKED' as const }),
        why: 'Two votes are no majority: A was sent away, and nothing was sold.',
      };
    },
  },
];

interface TakeOver {
  readonly prepare: (third: Node, replica: Node) => Promise<void>;
  readonly takeOver: (third: Node, replica: Node) => Promise<void>;
}

function whileReplicaTakesOver(scene: Scene, { prepare, takeOver }: TakeOver) {
  let replica: Node | undefined;
  return whileMastersForget(scene, {
    prepare: async (third) => {
      replica = await replicaOf(scene, third);
      await prepare(third, replica);
    },
    forget: async (third) => {
      if (replica) await takeOver(third, replica);
    },
  });
}

function addressOf({ stage }: Scene, node: Node): Address {
  return { node, lane: LANE, use: (replica) => stage.redlock.takeOver(node, replica) };
}
