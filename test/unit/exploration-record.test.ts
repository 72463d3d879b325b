import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Exploration } from '../../src/lab/explorer/explorer.js';
import { readExplorations, writeExploration } from '../../src/lab/explorer/explorations.js';
import { recordOf } from '../../src/lab/explorer/record.js';
import { SHIPPED_EXPLORATIONS } from '../../src/lab/paths.js';
import { type Played, type PlayedStep } from '../../src/lab/explorer/replay.js';

const SET = 'SET lockstock:setnx:{goods:1} 0e37a1c2-9ed0-4a78-ab6f-31d5ad347c65 PX 20000 NX';
const WRITE = 'UPDATE goods SET inventory = ? WHERE id = ?';
const after = {
  inventory: 1,
  orders: 0,
  locks: [{ what: 'lockstock:setnx:{goods:1} on redis', owner: 'A' }],
};
const step = (actor: string, server: string, text: string, rest: Partial<PlayedStep> = {}): PlayedStep => ({
  ...{ actor, server, text, values: [], alsoAnswered: [], rests: {}, after },
  ...rest,
});
const steps: readonly PlayedStep[] = [
  step('A', 'redis', SET, { returned: 'OK' }),
  { actor: 'time', text: 'the lease of A ends', values: [], alsoAnswered: [], rests: {}, after },
  step('B', 'mysql', WRITE, { values: [0, 1] }),
  step('A', 'mysql', 'COMMIT', {
    returned: { affectedRows: 0 },
    alsoAnswered: [{ actor: 'B', text: WRITE, values: [0, 1], returned: { affectedRows: 1 } }],
    after: { inventory: 0, orders: 1, locks: [] },
  }),
];
const played = {
  schedule: 'A expire B A',
  switches: 2,
  steps,
  outcome: { verdict: 'OVERSOLD', initial: 1, sold: 2, told: { A: 'sold', B: 'sold' } },
} as unknown as Played;
const found = {
  plan: { strategy: { name: 'setnx-lua' }, buyers: 2, stock: 1, faults: 'expire' },
  coverage: { runs: 7, cut: 2, complete: true },
  schedules: 40n,
  findings: { SAFE: 6, OVERSOLD: 1 },
  counterexample: played,
} as unknown as Exploration;

describe('the record of an exploration', () => {
  const { counterexample, ...result } = recordOf(found);

  test('says how many schedules were run, and how they ended', () => {
    expect(result).toMatchObject({
      id: 'setnx-lua.expire',
      schedules: { run: 7, cut: 2, all: '40', complete: true },
      verdicts: { OVERSOLD: 1 },
    });
  });

  test('tells the counterexample as a story with values, answers and states', () => {
    expect(counterexample?.steps.map(({ kind, text, answer }) => [kind, text, answer])).toEqual([
      ['note', 'buys by setnx-lua', undefined],
      ['note', 'buys by setnx-lua', undefined],
      ['query', 'A: SET lockstock:setnx:{goods:1} owner-A PX 20000 NX', 'OK'],
      ['time', 'the lease of A ends', undefined],
      ['query', 'B: UPDATE goods SET inventory = 0 WHERE id = 1', undefined],
      ['query', 'A: COMMIT', 'OK'],
      ['reply', 'B: UPDATE goods SET inventory = 0 WHERE id = 1', '1 row'],
      ['note', 'sold', undefined],
      ['note', 'sold', undefined],
    ]);
    expect(counterexample?.steps[2]?.after).toEqual({
      inventory: 1,
      sold: 0,
      locks: [{ holder: 'A', at: 'redis' }],
    });
  });

  test('is the same after it was written and read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lockstock-explorations-'));
    try {
      writeExploration(folder, recordOf(found));
      expect(readExplorations(folder)).toEqual([recordOf(found)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the recorded explorations', () => {
  const all = readExplorations(SHIPPED_EXPLORATIONS);

  test('have a counterexample exactly when a schedule broke the strategy', () => {
    expect(all.map(({ id }) => id)).toContain('no-lock.none');
    for (const { id, verdicts, counterexample } of all) {
      const broken = Object.keys(verdicts).some((verdict) => verdict !== 'SAFE');
      expect([id, counterexample !== undefined]).toEqual([id, broken]);
    }
  });

  test('end their stories with more sold than there was, where the verdict says so', () => {
    const oversold = all.filter(({ counterexample }) => counterexample?.verdict === 'OVERSOLD');
    expect(oversold.length).toBeGreaterThan(0);
    for (const { id, stock, counterexample } of oversold) {
      const last = counterexample?.steps.findLast(({ after: state }) => state)?.after;
      expect([id, (last?.sold ?? 0) > stock]).toEqual([id, true]);
    }
  });
});
