import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from './support/command.js';

const out = mkdtempSync(join(tmpdir(), 'lockstock-chaos-'));
afterAll(() => {
  rmSync(out, { recursive: true });
});

function chaos(...args: string[]): Command {
  return Command.run(['chaos', '--out', out, ...args]);
}

const KEPT = /✔ \d+ rounds: \d+ calls \([1-9]\d* acknowledged, [1-9]\d* refused.*every promise was kept/;

describe('every promise is kept', () => {
  test('with one strategy for each goods', async () => {
    const run = chaos(
      '--seed',
      '100',
      '--rounds',
      '3',
      '--faults',
      'none',
      '--mode',
      'single',
      '--without',
      'returns',
    );
    expect([await run.ended, run.said]).toEqual([0, expect.stringMatching(KEPT)]);
  }, 120_000);

  test('with several strategies at once, beside returns, where each write checks what it replaces', async () => {
    const strategies = 'sql-atomic,for-update,cas-version,idempotent';
    const run = chaos(
      '--seed',
      '200',
      '--rounds',
      '3',
      '--faults',
      'none',
      '--mode',
      'mixed',
      '--strategies',
      strategies,
    );
    expect([await run.ended, run.said]).toEqual([0, expect.stringMatching(KEPT)]);
  }, 120_000);

  test('while instances and servers are killed and paused', async () => {
    const strategies = 'sql-atomic,for-update,cas-version,idempotent';
    const run = chaos('--seed', FAULTY_SEED, '--rounds', '1', '--mode', 'mixed', '--strategies', strategies);
    expect([await run.ended, run.said]).toEqual([0, expect.stringMatching(KEPT)]);
    expect(run.said).toMatch(/was killed and restarted: sold again after at most/);
    expect(run.said).toMatch(/was paused: sold again after at most/);
  }, 180_000);
});

/** A plan with a kill and a pause. */
const FAULTY_SEED = '0';

test('a broken promise is found, shrunk, written to a file and found again from there', async () => {
  const broken = [
    '--strict',
    '--strategies',
    'no-lock',
    '--seed',
    '1',
    '--seconds',
    '60',
    '--faults',
    'none',
  ];
  const search = chaos(...broken, '--shrink-seconds', '8');
  expect([await search.ended, search.said]).toEqual([
    1,
    expect.stringMatching(/✘ (conservation|oversold): /),
  ]);
  expect(search.said).toMatch(/seed \d+; shrunk from \d+ requests to \d+ in [1-9]\d* plays/);
  const [file = ''] = readdirSync(out);
  const { plan } = JSON.parse(readFileSync(join(out, file), 'utf8')) as { plan: { goods: unknown[] } };
  expect(plan.goods).toHaveLength(1);
  const replay = chaos('--strict', '--replay', join(out, file), '--json');
  expect([await replay.ended, replay.said]).toEqual([
    1,
    expect.stringMatching(/"promise": "(conservation|oversold)"/),
  ]);
}, 180_000);

test('Ctrl-C reports what was checked until then', async () => {
  const run = chaos('--seed', '100', '--faults', 'none', '--mode', 'single', '--without', 'returns');
  await run.says('seed 100: single');
  run.child.kill('SIGINT');
  expect([await run.ended, run.said]).toEqual([130, expect.stringMatching(KEPT)]);
}, 120_000);

test.each([
  [['--minutes', '0'], 'minutes'],
  [['--seconds', '1e9'], 'seconds'],
  [['--seed', '-1'], 'seed'],
  [['--seed', 'x'], 'seed'],
  [['--hours', '1'], 'hours'],
  [['--faults', 'flood'], 'kill-redis'],
  [['--mode', 'double'], 'mixed'],
  [['--without', 'sleep'], 'returns'],
  [['--goods', '13'], 'goods'],
  [['--replay', '/does/not/exist'], 'replay'],
])('chaos %j is refused before anything is started', async (args, named) => {
  const refused = Command.run(['chaos', ...args]);
  expect([await refused.ended, refused.said]).toEqual([2, expect.stringContaining(named)]);
});

test('a file that is no plan is refused', async () => {
  const file = join(out, 'other.json');
  writeFileSync(file, '{"plan": {"seed": 1}}');
  const refused = Command.run(['chaos', '--replay', file]);
  expect([await refused.ended, refused.said]).toEqual([
    2,
    expect.stringContaining('cannot be read as a plan'),
  ]);
});
