import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { claimsPage } from '../src/lab/docs/claims-page.js';
import { measurementsOf } from '../src/lab/docs/comparison.js';
import { type Facts } from '../src/lab/docs/facts.js';
import { ideaOf } from '../src/lab/docs/idea.js';
import { strategyPage } from '../src/lab/docs/strategy-page.js';
import { ROOT } from '../src/lab/paths.js';

test('the generated pages in docs are current', () => {
  const check = spawnSync(process.execPath, [join(ROOT, 'dist/src/lab/docs/main.js'), '--check'], {
    encoding: 'utf8',
  });
  // The message says what to do: `npm run docs`.
  expect(check.stderr).toBe('');
  expect(check.status).toBe(0);
});

const facts: Facts = {
  metadata: {
    name: 'for-update',
    family: 'database',
    lesson: 2,
    title: 'SELECT … FOR UPDATE',
    stock: 'mysql',
    needs: ['mysql'],
    safe: 'while-the-lease-holds',
    breaksUnder: ['pause'],
    teaches: 'A lesson.',
  },
  useWhen: 'As sql-atomic, but slower.',
  costs: 'Much.',
  experiments: [{ id: 'pause.for-update', title: 'A stops: SELECT … FOR UPDATE', expected: 'breaks' }],
  baskets: true,
  source: 'src/strategies/database/for-update.ts',
  idea: 'Look, then write.',
  transcript: { path: 'docs/transcripts/for-update.sql', text: '-- head\n\nSELECT 1;\n' },
  procedures: [],
  scripts: [{ path: 'src/locks/redis/plain-acquire.lua', text: 'return 1\n', own: false }],
};

test('a page shows the facts of a strategy, and no numbers without a report', () => {
  const page = strategyPage(facts, [], ['sql-atomic']);
  expect(page).toContain('# `for-update`: SELECT … FOR UPDATE');
  expect(page).toContain('Look, then write.');
  expect(page).toContain('```sql\nSELECT 1;\n```');
  expect(page).toContain('```lua\nreturn 1\n```');
  expect(page).toMatch(/\*\*pause\*\*: The holder pauses for longer/);
  expect(page).toContain('As [`sql-atomic`](sql-atomic.md), but slower.');
  expect(page).toContain('| `pause.for-update` | A stops | breaks |');
  expect(page).not.toContain('instances |');
});

test('a page has the ratios of the committed report', () => {
  const report = {
    results: [
      { strategy: 'for-update', instances: 3, verdict: 'SAFE', toSqlAtomic: 0.914, toNoop: 0.2, p95: 41.7 },
      { strategy: 'other', instances: 3, verdict: 'SAFE' },
    ],
  };
  const page = strategyPage(facts, measurementsOf(report).get('for-update') ?? [], []);
  expect(page).toContain('| 3 | SAFE | 0.91 | 0.20 |  | 42 |  |  |');
});

test('a report in another format is an error, not a page without numbers', () => {
  expect(() => measurementsOf({ rows: [] })).toThrow('results');
});

test('the idea of a strategy is the comment above its class, not an earlier one', () => {
  const source =
    "/** Not this. */\nconst A = 1;\n\n/**\n * First\n * line.\n *\n * Second.\n */\n@Strategy({ name: 'x' })";
  expect(ideaOf(source)).toBe('First\nline.\n\nSecond.');
});

test('a claim that names a strategy that does not exist is an error', () => {
  expect(() => claimsPage([], new Map())).toThrow('C1 names no-lock, which does not exist.');
});
