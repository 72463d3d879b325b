import { type Conclusion } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { type Scenario, THE_MOMENT } from './scenario.js';

/** Two concurrent buyers at one instance. */
export const CONCURRENCY: Scenario = {
  fault: 'concurrency',
  title: 'Two buyers at one instance',
  label: 'two buyers, one instance',
  claims: [],
  claimsOf: {
    'no-lock': ['C1'],
    'check-then-act': ['C2'],
    mutex: ['C3', 'P1'],
    'lock-inside-transaction': ['C4'],
  },
  lease: 'long',
  stock: 1,
  appliesTo: () => true,
  run: (run) => readTogether(run, 1),
};

/** Two concurrent buyers at two instances: a lock inside one process does not protect the other. */
export const SEVERAL_INSTANCES: Scenario = {
  fault: 'several-instances',
  title: 'Two buyers at two instances',
  label: 'two instances',
  claims: [],
  claimsOf: { mutex: ['C3', 'P1'] },
  lease: 'long',
  stock: 1,
  appliesTo: () => true,
  run: (run) => readTogether(run, 2),
};

/** A is held after its read; B starts. If B has to wait, A continues until before COMMIT: does B still wait there? */
async function readTogether(run: ExperimentRun, instanceOfB: number): Promise<Conclusion> {
  const a = run.buyer('A', 1);
  const b = run.buyer('B', instanceOfB);
  await a.runUntil(THE_MOMENT);
  const moment = a.place ?? '';
  let halt = await b.runUntil(THE_MOMENT, { orWaits: 'anywhere' });
  if (halt === 'waits' && (await a.runUntil(['beforeCommit'])) === 'there') {
    halt = await b.runUntil(THE_MOMENT, { orWaits: 'anywhere' });
  }
  const bMoment = b.place ?? '';
  run.prove(
    'B started while A was in progress',
    `A held at ${a.place ?? 'no place'}, B ${halt}`,
    a.place !== undefined,
  );
  const [answerA, answerB] = [await a.finish(), await b.finish()];
  const event = { there: `B ${bMoment}`, waits: 'B waits', answered: `B ${answerB.kind}` }[halt];
  run.recorder.expectOrder(`A ${moment}`, event, `A ${answerA.kind}`);
  return {
    why: {
      there: 'B read before A wrote.',
      waits: 'B had to wait until A had finished.',
      answered: 'B was answered while A was in progress.',
    }[halt],
  };
}
