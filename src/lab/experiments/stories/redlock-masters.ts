import { type AofMark, cutPower, markAof } from '../../faults/aof-cut.js';
import { type Experiment } from '../experiment.js';
import { whileMastersForget } from '../matrix/forgetful-masters.js';

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
    id: 'redlock-majority-down',
    title: 'With a majority of masters down nobody can lock',
    claims: ['C17'],
    strategy: 'redlock',
    fault: 'crash',
    expected: 'BLOCKED',
    lease: 'long',
    stock: 1,
    async run(scene) {
      const masters = await scene.stage.freshMasters();
      const dead = masters.slice(0, 3);
      await Promise.all(dead.map((master) => master.kill()));
      scene.fault('lab', 'three of five masters are killed', 'majority down');
      scene.prove(
        'three masters are gone',
        'all gone',
        dead.every(({ running }) => !running),
      );
      const answer = await scene.buyer('A', 1).finish();
      const { sold } = await scene.settledAudit();
      await scene.stage.freshMasters();
      scene.recorder.expectOrder('majority down', `A ${answer.kind}`);
      return {
        ...(sold === 0 && { finding: 'BLOCKED' as const }),
        why: 'Two votes are no majority: A was sent away, and nothing was sold.',
      };
    },
  },
];
