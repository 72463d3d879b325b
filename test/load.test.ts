import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadResult, OUTCOMES, type Sample } from '../src/contract/lab-runs.js';
import { type Comparison } from '../src/lab/compare/comparison.js';
import { type Load, runLoad } from '../src/lab/load/run.js';
import { Target } from '../src/lab/load/target.js';
import { freePort } from '../src/lab/ports.js';
import { BAD_DEDUCTIONS } from './support/bad-input.js';
import { buy, buyPatiently } from './support/buyers.js';
import { Command } from './support/command.js';
import { eventually } from './support/eventually.js';
import { TestShop } from './support/test-shop.js';

const LOAD: Load = { stock: 30, buyers: 20, requests: 100, quantity: 1, retry: true };
const NEVER = new AbortController().signal;

let shop: TestShop;
let target: Target;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstock-load-'));
  shop = await TestShop.open({ instances: 3 });
  target = await Target.open(shop.url, shop.shop.adminToken);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await shop.close();
});

const purchases = ({ outcomes }: Pick<LoadResult, 'outcomes'>) =>
  OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0);

describe('the runner', () => {
  test('finds for-update safe, with the same counts as the ledger', async () => {
    const samples: Sample[] = [];
    const result = await runLoad(target, 'for-update', LOAD, {
      stop: NEVER,
      onSample: (sample) => samples.push(sample),
    });
    expect(result).toMatchObject({
      verdict: 'SAFE',
      kept: true,
      stopped: false,
      outcomes: { sold: 30, soldOut: 70, refused: 0, unknown: 0 },
      books: { ok: true, acknowledged: 30, inLedger: 30 },
      audit: { sold: 30, remaining: 0 },
    });
    expect(await shop.soldOrderIds(target.goodsId)).toHaveLength(30);
    expect(Object.keys(result.perInstance)).toEqual(['instance-1', 'instance-2', 'instance-3']);
    expect(result.p50).toBeGreaterThan(0);
    expect(result.p99).toBeGreaterThanOrEqual(result.p50);
    expect(samples.at(-1)).toMatchObject({
      strategy: 'for-update',
      sold: 30,
      stock: 0,
      outcomes: result.outcomes,
    });
  });

  test('finds no-lock oversold, and says by how many', async () => {
    const result = await runLoad(target, 'no-lock', LOAD, { stop: NEVER });
    expect(result).toMatchObject({ verdict: 'OVERSOLD', kept: true, promise: 'never', books: { ok: true } });
    expect(result.oversoldBy).toBe(result.outcomes.sold - 30);
    expect(result.explanation).toContain(`${result.oversoldBy} units too many were sold`);
  });

  test('waits until what Redis accepted is in the ledger', async () => {
    const result = await runLoad(target, 'redis-lua', { ...LOAD, quantity: 2 }, { stop: NEVER });
    expect(result).toMatchObject({
      verdict: 'SAFE',
      outcomes: { sold: 15, soldOut: 85 },
      books: { ok: true, inLedger: 15 },
      audit: { sold: 30, inFlight: 0 },
    });
  });

  test('on one instance a lock inside the process keeps its promise; it promises nothing on three', async () => {
    const alone = await runLoad(target, 'mutex', { ...LOAD, instances: 1 }, { stop: NEVER });
    expect(alone).toMatchObject({ verdict: 'SAFE', kept: true, perInstance: { 'instance-1': 100 } });
    const together = await runLoad(target, 'mutex', LOAD, { stop: NEVER });
    expect(together).toMatchObject({ verdict: 'OVERSOLD', kept: true });
  });

  test('when it is stopped, it judges the purchases made so far', async () => {
    const stop = new AbortController();
    const load = { ...LOAD, stock: 100_000, requests: 100_000 };
    const result = await runLoad(target, 'sql-atomic', load, {
      stop: stop.signal,
      onSample: ({ sold }) => {
        if (sold > 0) stop.abort();
      },
    });
    expect(result).toMatchObject({ stopped: true, verdict: 'SAFE', books: { ok: true } });
    expect(purchases(result)).toBeGreaterThan(0);
    expect(purchases(result)).toBeLessThan(100_000);
    expect(result.audit.orders).toBe(result.outcomes.sold);
  });

  test('a crashed instance leaves unknown outcomes, which the ledger resolves', async () => {
    let killed = false;
    const load = { ...LOAD, stock: 100_000, requests: 100_000, seconds: 2 };
    const result = await runLoad(target, 'for-update', load, {
      stop: NEVER,
      onSample: ({ sold }) => {
        if (killed || sold === 0) return;
        killed = true;
        shop.instance(2).signal('SIGKILL');
      },
    });
    expect(killed).toBe(true);
    expect(result).toMatchObject({ verdict: 'SAFE', stopped: false, books: { ok: true } });
    expect(result.outcomes.unknown).toBeGreaterThan(0);
    expect(result.books.inLedger).toBe(result.outcomes.sold + result.books.boughtUnawares);
  });

  test('an order of a buyer that is not part of the load is found', async () => {
    let other: Promise<unknown> | undefined;
    const load = { ...LOAD, stock: 100_000, requests: 100_000, seconds: 1 };
    const result = await runLoad(target, 'sql-atomic', load, {
      stop: NEVER,
      onSample: () => {
        other ??= buy(shop, { strategy: 'sql-atomic', goodsId: target.goodsId });
      },
    });
    expect(await other).toMatchObject({ kind: 'sold' });
    expect(result).toMatchObject({ verdict: 'UNMATCHED', kept: false, books: { unexplained: 1 } });
    expect(result.explanation).toContain('1 order was written that no buyer of this run made');
  });

  test('a run that another client resets cannot be judged', async () => {
    let reset: Promise<unknown> | undefined;
    const load = { ...LOAD, stock: 100_000, requests: 100_000, seconds: 1 };
    const run = runLoad(target, 'sql-atomic', load, {
      stop: NEVER,
      onSample: () => {
        reset ??= shop.reset(target.goodsId, 5);
      },
    });
    await expect(run).rejects.toThrow('Another client reset the same goods');
    await reset;
  });
});

describe('the service', () => {
  test('answers a POST that sells nothing, and validates it like a sale', async () => {
    const sold = await shop.post('/noop', { quantity: 3 });
    expect([sold.status, await sold.json()]).toEqual([
      200,
      expect.objectContaining({ strategy: 'noop', quantity: 3, orderId: 0, attempts: 1 }),
    ]);
    for (const [what, body] of BAD_DEDUCTIONS) {
      expect([what, (await shop.post('/noop', body)).status]).toEqual([what, 400]);
    }
  });

  test('lists the ids of a run’s orders for the admin only', async () => {
    const path = `/goods/${target.goodsId}/orders`;
    await shop.reset(target.goodsId, 10);
    for (let sold = 0; sold < 3; sold += 1)
      await buyPatiently(shop, { strategy: 'sql-atomic', goodsId: target.goodsId });
    const all = await target.soldOrderIds();
    expect(all).toEqual(await shop.soldOrderIds(target.goodsId));
    const rest = await fetch(`${shop.url}${path}?after=${all[0] ?? 0}`, { headers: shop.headers });
    expect(await rest.json()).toMatchObject({ orderIds: all.slice(1), next: null });
    expect((await fetch(`${shop.url}${path}`)).status).toBe(401);
    for (const bad of ['?after=-1', '?after=x', '?after=1e3', '?after=9999999999999999']) {
      expect([bad, (await fetch(`${shop.url}${path}${bad}`, { headers: shop.headers })).status]).toEqual([
        bad,
        400,
      ]);
    }
    expect((await fetch(`${shop.url}/goods/999/orders`, { headers: shop.headers })).status).toBe(404);
  });

  test('lets only requests with the admin token choose the first instances', async () => {
    const instances = async (headers: Record<string, string>) => {
      const seen = new Set<string | null>();
      for (let index = 0; index < 12; index += 1) {
        seen.add((await fetch(`${shop.url}/health/live`, { headers })).headers.get('x-instance'));
      }
      return seen.size;
    };
    const unknown = { ...shop.headers, 'x-first-instances': '99' };
    await eventually('all instances are back', async () => (await instances(unknown)) === 3);
    expect(await instances({ 'x-first-instances': '1' })).toBeGreaterThan(1);
    expect(await instances({ ...shop.headers, 'x-first-instances': '1' })).toBe(1);
    expect(await instances({ ...shop.headers, 'x-first-instances': '2' })).toBe(2);
  });
});

describe('lockstock load', () => {
  const at = () => ['--url', shop.url, '--token', shop.shop.adminToken];
  const small = ['--stock', '20', '--buyers', '20', '--requests', '60'];
  const load = (...args: string[]) => Command.run(['load', ...args]);

  test('reports an unsafe strategy without failing, and writes what it measured', async () => {
    const file = join(folder, 'load.json');
    const command = load('for-update', 'no-lock', ...small, ...at(), '--json', file);
    expect(await command.ended).toBe(0);
    expect(command.said).toContain('for-update: SAFE. Exactly the stock was sold: 20 units');
    expect(command.said).toMatch(/no-lock: OVERSOLD\. \d+ units too many were sold/);
    const { results } = JSON.parse(readFileSync(file, 'utf8')) as { results: LoadResult[] };
    expect(results.map(({ strategy, verdict }) => [strategy, verdict])).toEqual([
      ['for-update', 'SAFE'],
      ['no-lock', 'OVERSOLD'],
    ]);
  });

  test('--strict fails for an unsafe strategy', async () => {
    const command = load('no-lock', ...small, ...at(), '--strict');
    expect(await command.ended).toBe(1);
    expect(command.said).toContain('Not SAFE: no-lock');
  });

  test('Ctrl-C prints what was measured', async () => {
    const endless = ['--stock', '1000000', '--requests', '1000000', '--buyers', '10'];
    const command = load('sql-atomic', ...endless, ...at());
    await command.says('10 buyers at http');
    const ledger = async () =>
      (await target.audit()).initial === 1_000_000 && (await target.audit()).orders > 0;
    while (!(await ledger())) if (command.child.exitCode !== null) throw new Error(command.said);
    command.child.kill('SIGINT');
    expect(await command.ended).toBe(130);
    expect(command.said).toMatch(/sql-atomic: SAFE\. \d+ units of 1000000 sold/);
  });

  test.each<[string, () => string[] | Promise<string[]>, number, string]>([
    [
      'an unknown strategy',
      () => ['wishful', ...at()],
      2,
      'There is no strategy "wishful". The strategies are: no-lock,',
    ],
    [
      'a wrong token',
      () => ['no-lock', '--url', shop.url, '--token', 'x'.repeat(16)],
      1,
      'The admin token is wrong.',
    ],
    [
      'nobody there',
      async () => ['no-lock', '--url', `http://127.0.0.1:${await freePort()}`],
      1,
      'does not answer (',
    ],
    ['instances that cannot be chosen', () => ['no-lock', '--instances', '2', ...at()], 1, 'needs a lab'],
  ])('%s is one clear line', async (_, args, code, message) => {
    const command = load(...(await args()));
    expect([await command.ended, command.said]).toEqual([code, expect.stringContaining(message)]);
    expect(command.said.trim().split('\n')).toHaveLength(1);
  });
});

test('lockstock compare measures on a private system and writes a report in three formats', async () => {
  const command = Command.run([
    ...[
      'compare',
      '--strategies',
      'no-lock,sql-atomic',
      '--instances',
      '1',
      '--rounds',
      '1',
      '--seconds',
      '1',
    ],
    ...['--out', folder],
  ]);
  expect([await command.ended, command.said]).toEqual([0, expect.stringContaining('compare.html')]);
  const report = JSON.parse(readFileSync(join(folder, 'compare.json'), 'utf8')) as Comparison;
  expect(report.results).toMatchObject([
    { strategy: 'no-lock', instances: 1, verdict: 'OVERSOLD' },
    { strategy: 'sql-atomic', instances: 1, verdict: 'SAFE', toSqlAtomic: 1 },
  ]);
  expect(report.noop).toMatchObject([{ instances: 1, throughput: expect.any(Number) as number }]);
  expect(report.complete).toBe(true);
  expect(readFileSync(join(folder, 'compare.md'), 'utf8')).toContain('| no-lock | never | OVERSOLD |');
  const page = readFileSync(join(folder, 'compare.html'), 'utf8');
  expect(page).toContain('<svg');
  expect(page).not.toMatch(/(src|href)=|url\(|@import/);
}, 180_000);
