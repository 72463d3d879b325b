import { type Exploration } from '../../src/lab/explorer/explorer.js';
import { LabError } from '../../src/lab/errors.js';
import { trialPage } from '../../src/lab/own/html.js';
import { contradictions, exitCodeOf } from '../../src/lab/own/judgement.js';
import { trialText } from '../../src/lab/own/report.js';
import { type Trial } from '../../src/lab/own/trial.js';
import { TrialParts } from '../../src/lab/own/trial-parts.js';

const explored = (findings: Record<string, number>, bound?: number) =>
  ({
    ...{ plan: { faults: 'none' }, coverage: { runs: 28, cut: 0, complete: true }, schedules: 28n },
    ...{ findings, bound, expected: 'safe', counterexample: undefined },
  }) as unknown as Exploration;

function trial(safe: string, changes: Partial<Trial> = {}): Trial {
  const load = {
    ...{ strategy: 'own', verdict: 'SAFE', kept: true, explanation: 'Sold 60.' },
    ...{ outcomes: { sold: 60 }, audit: { initial: 60 } },
  };
  return {
    ...{ strategy: { name: 'own', title: 'Own', safe, breaksUnder: [] }, load, speeds: [] },
    ...{ explorations: [explored({ SAFE: 28 })], experiments: [], untested: [] },
    ...{ quick: true, interrupted: false, ...changes },
  } as unknown as Trial;
}

const REPORTS = [
  ['text', trialText],
  ['page', trialPage],
] as const;

describe.each(REPORTS)('the %s of a trial', (_, report) => {
  const said = (of: Trial) => report(of).replace(/\s+/g, ' ');

  test('says the bound of an exploration, and no bound where there was none', () => {
    const bounded = trial('always', { explorations: [explored({ SAFE: 28 }, 2)] });
    expect(said(bounded)).toMatch(/28 (schedules|run)[^.]* with at most 2 preemptions/);
    expect(said(trial('always'))).not.toContain('preemption');
  });

  test('says what was not tested, and why', () => {
    const partly = trial('always', { untested: [{ part: 'the explorer', why: 'No instance started.' }] });
    expect(said(partly)).toContain('Not tested: the explorer: No instance started.');
  });
});

test.each([
  ['nothing was found', {}, 0],
  ['a part was not tested', { untested: [{ part: 'the explorer', why: 'It failed.' }] }, 3],
  ['a contradiction was found', { explorations: [explored({ OVERSOLD: 1 })] }, 1],
  [
    'a contradiction was found, and a part was not tested',
    { explorations: [explored({ OVERSOLD: 1 })], untested: [{ part: 'the faults', why: 'They failed.' }] },
    1,
  ],
  ['it was interrupted', { interrupted: true }, 130],
])('when %s, the exit code says so', (_, changes, code) => {
  expect(exitCodeOf(trial('always', changes))).toBe(code);
});

test('a strategy without a promise must be broken by the load or by the explorer', () => {
  const broken = { ...explored({ SAFE: 3, OVERSOLD: 1 }), expected: 'broken' as const };
  expect(contradictions(trial('never', { explorations: [broken] }))).toEqual([]);
  expect(contradictions(trial('never'))).toEqual([expect.stringContaining('promises nothing')]);
});

describe('a part that fails', () => {
  test('leaves the other parts, and its reason is noted', async () => {
    const parts = new TrialParts(new AbortController().signal);
    const done: string[] = [];
    await parts.attempt('the explorer', () => Promise.reject(new LabError('No instance started.')));
    await parts.attempt('the faults', () => {
      done.push('the faults');
      return Promise.resolve();
    });
    expect([parts.untested, done]).toEqual([
      [{ part: 'the explorer', why: 'No instance started.' }],
      ['the faults'],
    ]);
  });

  test('is not noted after Ctrl-C', async () => {
    const parts = new TrialParts(AbortSignal.abort());
    await parts.attempt('the explorer', () => Promise.reject(new LabError('The servers were stopped.')));
    expect(parts.untested).toEqual([]);
  });

  test('ends the trial when the error is a defect of the lab', async () => {
    const parts = new TrialParts(new AbortController().signal);
    const defect = () => Promise.reject(new TypeError('not a function'));
    await expect(parts.attempt('the explorer', defect)).rejects.toThrow('not a function');
  });
});
