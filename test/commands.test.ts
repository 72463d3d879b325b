import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HELP } from '../bin/help.js';
import { ROOT } from '../src/lab/paths.js';
import { Command } from './support/command.js';

/** Arguments that a command must refuse, and a part of its message. */
type Refused = readonly (readonly [args: readonly string[], message: string])[];

const folder = mkdtempSync(join(tmpdir(), 'lockstock-commands-'));
const file = join(folder, 'file.json');
const data = join(folder, 'lab');
const lost = join(folder, 'lost', 'report.json');
writeFileSync(file, '{"plan": {"seed": 1}}');
const source = join(folder, 'strategy.ts');
writeFileSync(source, '');
const plan = join(folder, 'plan.json');
const goods = [{ id: 1, stock: 1, strategies: ['wishful'] }];
writeFileSync(plan, JSON.stringify({ seed: 1, goods, clients: [], lastsMs: 0, faults: [] }));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const up: Refused = [
  [['--data', data, '--instances', '0'], '--instances must be a whole number from 1 to 16'],
  [['--data', data, '--instances', 'three'], '--instances must be'],
  [['--data', data, '--port', '99999'], '--port must be'],
  [['--data', data, '--port'], "Option '--port"],
  [['--data', data, '--speed', '9'], "Unknown option '--speed'"],
  [['--data', data, 'for-update'], "Unexpected argument 'for-update'"],
  [['--data', ''], '--data must name a folder'],
];
const buy = ['--buy', 'POST http://127.0.0.1:9/buy'];

const REFUSED: Readonly<Record<string, Refused>> = {
  up,
  dev: up,
  load: [
    [[], 'Name at least one strategy'],
    [['wishful'], 'There is no strategy "wishful". The strategies are: no-lock,'],
    [['no-lock', 'wishful'], 'There is no strategy "wishful"'],
    [['no-lock', '--buyers', 'many'], '--buyers must be a whole number from 1'],
    [['no-lock', '--buyers', '1001'], '--buyers must be'],
    [['no-lock', '--speed', '9'], "Unknown option '--speed'"],
    [['no-lock', '--url', 'localhost'], '--url must be a URL'],
    [['no-lock', '--json', lost], 'there is no folder'],
    [['no-lock', '--json', folder], 'it is a folder'],
  ],
  compare: [
    [['--strategies', 'no-lock,wishful'], 'There is no strategy "wishful"'],
    [['--strategies', ''], 'need at least one value'],
    [['--instances', '17'], '--instances must be'],
    [['--rounds', '0'], '--rounds must be'],
    [['--out', join(file, 'reports')], 'is a file'],
  ],
  bench: [
    [['--only', 'http,wishful'], '--only must be some of http, locks'],
    [['--only', ''], '--only must be some of'],
    [['http'], '--only chooses what is measured'],
    [['--rounds', '0'], '--rounds must be a whole number from 1 to 100'],
    [['--seconds', '1.5'], '--seconds must be'],
    [['--buyers', 'many'], '--buyers must be'],
    [['--minutes', '3'], 'Add --only soak'],
    [['--speed', '9'], "Unknown option '--speed'"],
    [['--json', lost], 'there is no folder'],
    [['--json', folder], 'it is a folder'],
    [['--out', join(file, 'reports')], 'is a file'],
    [['--compare', file], '--compare needs exactly two files'],
    [['--compare', file, file], 'is not a report of `lockstock bench`'],
    [['--compare', lost, file], 'cannot be read'],
  ],
  experiments: [
    [['perpetual-motion'], 'There is no experiment "perpetual-motion"'],
    [['no-lock', '--record', '--out', folder], 'exclude each other'],
    [['no-lock', '--out', file], 'is a file'],
    [['no-lock', '--draw', file], 'is a file'],
  ],
  explore: [
    [[], 'No strategy was named'],
    [['wishful'], 'There is no strategy "wishful". The strategies are: no-lock,'],
    [['no-lock', 'wishful'], 'There is no strategy "wishful"'],
    [['no-lock', '--buyers', '4'], '--buyers must be'],
    [['no-lock', '--instances', '3'], '--instances must be a whole number from 1 to 2'],
    [['no-lock', '--faults', 'flood'], '--faults must be none, expire'],
    [['no-lock', '--schedule', 'A2 ?'], 'is not a step of a schedule'],
    [['no-lock', '--schedule', 'A2 C'], 'the buyers are A and B'],
    [['no-lock', '--schedule', 'A2 expire'], 'Add --faults expire'],
    [['no-lock', '--json', lost], 'there is no folder'],
    [['no-lock', '--diagram', folder], 'it is a folder'],
    [['no-lock', 'for-update', '--interactive'], 'name only one'],
    [['no-lock', '--interactive', '--schedule', 'A2'], '--interactive and --schedule exclude each other'],
    [['no-lock', '--interactive', '--faults', 'expire'], '--interactive and --faults exclude each other'],
  ],
  new: [
    [[], 'Name one strategy'],
    [['Bad Name'], 'cannot be the name of a strategy'],
    [['../escape'], 'cannot be the name of a strategy'],
    [['for-update'], 'has a strategy for-update already'],
    [['my-strategy', 'another'], 'Name one strategy'],
  ],
  try: [
    [[], 'Name one file'],
    [[join(folder, 'missing.ts')], 'There is no file'],
    [[folder], 'is not a file'],
    [[file], 'does not end in .ts'],
    [[source, '--json', lost], 'there is no folder'],
    [[source, '--html', folder], 'it is a folder'],
    [[source, '--speed'], "Unknown option '--speed'"],
  ],
  probe: [
    [['--stock', 'GET http://127.0.0.1:9/stock $.left'], '--buy is missing'],
    [buy, 'Neither --stock nor --supply is given'],
    [[...buy, '--supply', 'ten'], '--supply must be'],
    [[...buy, '--supply', '10', '--json', lost], 'there is no folder'],
  ],
  chaos: [
    [['--minutes', '0'], '--minutes must be'],
    [['--seconds', '1e9'], '--seconds must be'],
    [['--seed', '-1'], "'--seed' argument is ambiguous"],
    [['--seed', 'x'], '--seed must be'],
    [['--hours', '1'], "Unknown option '--hours'"],
    [['--faults', 'flood'], 'kill-redis'],
    [['--mode', 'double'], 'mixed'],
    [['--without', 'sleep'], 'returns'],
    [['--goods', '13'], '--goods must be'],
    [['--strategies', 'wishful'], 'There is no strategy "wishful"'],
    [['--replay', '/does/not/exist'], '--replay'],
    [['--replay', file], 'cannot be read as a plan'],
    [['--replay', plan], 'There is no strategy "wishful"'],
    [['--out', file], 'is a file'],
  ],
  doctor: [[['nonsense'], 'doctor takes no arguments']],
};

test('wrong arguments of every command are listed here', () => {
  expect(Object.keys(REFUSED).sort()).toEqual(
    Object.keys(HELP)
      .filter((name) => name !== 'lockstock')
      .sort(),
  );
});

describe('before a server starts', () => {
  const cases = Object.entries(REFUSED)
    .filter(([command]) => command !== 'doctor')
    .flatMap(([command, refused]) =>
      refused.map(([args, message]) => ({ args: [command, ...args], message })),
    );
  let results: readonly { readonly code: number; readonly said: string }[] = [];
  beforeAll(() => {
    const program = join(ROOT, 'test/support/refused-commands.mjs');
    const all = JSON.stringify(cases.map(({ args }) => args));
    const { stdout, stderr } = spawnSync(process.execPath, [program, all], {
      env: { ...process.env, TMPDIR: join(folder, 'no-temporary-files') },
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(stderr);
    results = JSON.parse(stdout) as typeof results;
  });

  test.each(
    cases.map(({ args, message }, index) => [args.join(' ').replaceAll(folder, ''), message, index] as const),
  )('%s is refused in one line: %s', (_, message, index) => {
    expect(results[index]).toEqual({ code: 2, said: expect.stringContaining(message) as string });
    expect(results[index]?.said.trim().split('\n')).toHaveLength(1);
    expect(existsSync(data)).toBe(false);
  });
});

test.each([
  ['explore', 'wishful'],
  ['doctor', 'nonsense'],
])('the exit code of `lockstock %s %s` is 2', async (...args) => {
  const command = Command.run(args);
  expect([await command.ended, command.said]).toEqual([2, expect.stringContaining('lockstock: ')]);
});
