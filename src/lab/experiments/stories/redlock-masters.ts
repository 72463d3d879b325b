import { type AofMark, cutPower, markAof } from '../../faults/aof-cut.js';
import { clockMissing, LooseClock } from '../../faults/clock-jump.js';
import { LabError } from '../../errors.js';
import { promote } from '../../faults/failover.js';
import { killServer } from '../../faults/kill.js';
import { until } from '../../until.js';
import { type Experiment } from '../experiment.js';
import { killMaster, whileMasterLosesData, whileReplicaTakesOver } from '../matrix/master-loses-data.js';

/** C17: which measures keep a Redlock safe when a master restarts, and which failures none of them covers. */
export const REDLOCK_MASTERS: readonly Experiment[] = [
  {
    id: 'redlock-restart-with-file',
    title: 'A Redlock master restarts with all its data',
    claims: ['C17', 'P8'],
    strategy: 'redlock',
    fault: 'crash',
    twinOf: 'empty-restart.redlock',
    expected: 'holds',
    lease: 'long',
    stock: 1,
    run: (run) =>
      whileMasterLosesData(run, {
        told: 'master 3 is killed and restarts with its data',
        prepare: () => Promise.resolve(),
        loseData: async (third) => {
          await killServer(run, third);
          await third.start();
          const keys = await third.ask((client) => client.dbsize());
          run.prove('it still has its vote', `${keys} keys`, keys > 0);
        },
      }),
  },
  {
    id: 'redlock-power-cut',
    title: 'A Redlock master restarts without its last writes',
    claims: ['C17', 'P8'],
    strategy: 'redlock',
    fault: 'power-cut',
    expected: 'OVERSOLD',
    lease: 'long',
    stock: 1,
    run: (run) => {
      let mark: AofMark | undefined;
      return whileMasterLosesData(run, {
        told: 'master 3 loses power and restarts without its last writes',
        prepare: async (third) => (mark = await markAof(third)),
        loseData: async (third) => {
          if (!mark) throw new LabError('The file of the third master was not marked before the power cut.');
          await cutPower(run, third, mark);
        },
      });
    },
  },
  {
    id: 'redlock-replica-in-step',
    title: 'A replica replaces a Redlock master and has A’s vote',
    claims: ['C17'],
    strategy: 'redlock',
    fault: 'failover',
    twinOf: 'failover.redlock',
    expected: 'holds',
    lease: 'long',
    stock: 1,
    run: (run) =>
      whileReplicaTakesOver(run, {
        told: 'the new master 3 has the vote',
        prepare: () => Promise.resolve(),
        takeOver: async (address, replica) => {
          const keys = await until(
            'the replica has the vote',
            async () => (await replica.ask((client) => client.dbsize())) || undefined,
          );
          run.prove('the replica has A’s vote', `${keys} keys`, keys > 0);
          await promote(run, address, replica);
        },
      }),
  },
  {
    id: 'redlock-steady-clock',
    title: 'The clock of a Redlock master does not jump',
    claims: ['C17', 'P9'],
    strategy: 'redlock',
    fault: 'none',
    twinOf: 'clock-jump.redlock',
    expected: 'holds',
    lease: 'long',
    stock: 1,
    missing: clockMissing,
    run: (run) => {
      const clock = new LooseClock(run.testBed.file('redis-clock'));
      return whileMasterLosesData(run, {
        told: 'the clock of master 3 shows the right time',
        clock,
        prepare: () => Promise.resolve(),
        loseData: async (third) => {
          const keys = await third.ask((client) => client.dbsize());
          run.prove('master 3 still has its vote', `${keys} keys`, keys > 0);
        },
      });
    },
  },
  {
    id: 'redlock-majority-down',
    title: 'With a majority of masters down no client can acquire the lock',
    claims: ['C17'],
    strategy: 'redlock',
    fault: 'crash',
    expected: 'BLOCKED',
    lease: 'long',
    stock: 1,
    async run(run) {
      const masters = await run.testBed.redlock.fresh();
      for (const [index, master] of masters.slice(0, 3).entries()) await killMaster(run, index + 1, master);
      run.recorder.event('majority down');
      const answer = await run.buyer('A', 1).finish();
      const { sold } = await run.settledAudit();
      await run.testBed.redlock.fresh();
      run.recorder.expectOrder('majority down', `A ${answer.kind}`);
      return {
        ...(sold === 0 && { finding: 'BLOCKED' as const }),
        why: 'Two votes are no majority: A was refused and nothing was sold.',
      };
    },
  },
];
