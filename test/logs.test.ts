import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_PROGRAM } from '../src/lab/paths.js';
import { freePort } from '../src/lab/ports.js';
import { rotate } from '../src/lab/processes/log-rotation.js';
import { serviceEnvironment } from '../src/lab/servers.js';
import { LogOutput } from '../src/log-output.js';
import { eventually } from './support/eventually.js';
import { TestShop } from './support/test-shop.js';

describe('an instance whose log cannot be written', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await TestShop.open({ instances: 1 });
  });
  afterAll(() => shop.close());

  /** Starts one more instance, sells with it, and stops it. */
  async function sellWith(start: (env: NodeJS.ProcessEnv) => ChildProcess): Promise<number | null> {
    const port = await freePort();
    const env = { ...serviceEnvironment(shop.servers, shop.database), LOG_LEVEL: 'debug' };
    const instance = start({ PATH: process.env['PATH'], ...env, PORT: String(port) });
    const ended = once(instance, 'exit') as Promise<[number | null]>;
    const sell = () =>
      fetch(`http://127.0.0.1:${port}/goods/1/deduct/sql-atomic`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"quantity":1}',
      });
    const answered = async () =>
      instance.exitCode !== null || (await sell().catch(() => undefined))?.ok === true;
    try {
      await eventually('it sells', answered, 30_000);
      for (let sale = 0; sale < 20 && instance.exitCode === null; sale += 1)
        expect((await sell()).status).toBe(200);
      instance.kill('SIGTERM');
      return (await ended)[0];
    } finally {
      instance.kill('SIGKILL');
    }
  }

  test('sells although the disk is full, and ends on SIGTERM', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const code = await sellWith((env) =>
        spawn(process.execPath, [SERVICE_PROGRAM], { env, stdio: ['ignore', full, full] }),
      );
      expect(code).toBe(0);
    } finally {
      closeSync(full);
    }
  });

  test('sells after the reader of its log has closed the pipe, and ends on SIGTERM', async () => {
    const code = await sellWith((env) => {
      const instance = spawn(process.execPath, [SERVICE_PROGRAM], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      instance.stdout.destroy();
      instance.stderr.destroy();
      return instance;
    });
    expect(code).toBe(0);
  });
});

describe('a log file', () => {
  let folder: string;
  let log: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lockstock-logs-'));
    log = join(folder, 'server.log');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('says how many lines could not be written', () => {
    const output = new LogOutput(openSync(log, 'a'));
    // Replaced for a while, as if the disk were full.
    const full = openSync('/dev/full', 'w');
    const kept = Reflect.get(output, 'descriptor') as number;
    Reflect.set(output, 'descriptor', full);
    output.write('{"msg":"one"}\n');
    output.write('{"msg":"two"}\n');
    Reflect.set(output, 'descriptor', kept);
    output.write('{"msg":"three"}\n');
    const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      '2 lines of this log could not be written and are missing here',
      'three',
    ]);
    closeSync(full);
    closeSync(kept);
  });

  test('stays within its size limit while a process writes to it, and has the newest lines', async () => {
    const LIMIT = 200_000;
    const file = openSync(log, 'a');
    const program = `let line = 0;
      setInterval(() => {
        for (let i = 0; i < 50; i += 1) require('node:fs').writeSync(1, \`line \${line += 1} \${'x'.repeat(80)}\\n\`);
      }, 1);
      process.on('SIGTERM', () => process.exit());`;
    const writer = spawn(process.execPath, ['-e', program], { stdio: ['ignore', file, 'inherit'] });
    closeSync(file);
    const ended = once(writer, 'exit');
    let rotations = 0;
    try {
      await eventually('it was rotated several times', () => {
        const before = statSync(log).size;
        rotate(log, LIMIT);
        if (statSync(log).size < before) rotations += 1;
        return rotations === 5;
      });
    } finally {
      writer.kill('SIGTERM');
      await ended;
    }
    expect(statSync(`${log}.1`).size).toBeLessThanOrEqual(LIMIT + 100_000);
    const numbers = [`${log}.1`, log].map((part) =>
      readFileSync(part, 'utf8')
        .trimEnd()
        .split('\n')
        .filter(Boolean)
        .map((line) => Number(line.split(' ')[1])),
    );
    for (const part of numbers) expect(part).toEqual(part.map((_, index) => (part[0] ?? NaN) + index));
    const [older = [], newer = []] = numbers;
    expect(newer[0] ?? Infinity).toBeGreaterThan(older.at(-1) ?? Infinity);
  });
});
