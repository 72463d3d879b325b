import { engineMissing } from '../src/lab/engines/missing.js';
import { Explorer, type ExploreOptions } from '../src/lab/explorer/explorer.js';
import { type ExplorationPlan } from '../src/lab/explorer/real-system.js';
import { strategyNames } from './support/strategy-files.js';

/** Explores strategies on real servers. Nothing here says where a strategy breaks: the explorer finds it. */
let explorer: Explorer;

beforeAll(async () => {
  explorer = await Explorer.open(3);
}, 120_000);
afterAll(() => explorer.close());

function explore(
  name: string,
  plan: Partial<Omit<ExplorationPlan, 'strategy'>> = {},
  options: ExploreOptions = {},
) {
  const strategy = explorer.named(name);
  const plain = { buyers: 2, instances: 2, stock: 1, faults: 'none', allCommands: false } as const;
  return explorer.explore({ ...plain, ...plan, strategy }, options);
}

const TIMEOUT_MS = 120_000;

/** Five commands at once have too many schedules. */
const BOUNDS: Readonly<Record<string, ExploreOptions>> = { redlock: { preemptions: 0 } };

describe('two buyers of one unit, without faults', () => {
  test.each([
    // Every strategy, so that a new one is explored without being named here.
    ...strategyNames(),
    // Copies of safe strategies with one mistake.
    'lock-per-request',
    'for-update-autocommit',
    'early-snapshot',
  ])(
    'break %s, or never do, as its metadata says',
    async (name) => {
      const { needs, breaksUnder } = explorer.named(name);
      if (engineMissing(needs) !== undefined) return;
      const broken = breaksUnder.some((fault) => fault === 'concurrency' || fault === 'several-instances');
      const found = await explore(name, {}, { first: broken, ...BOUNDS[name] });
      expect(found).toMatchObject({ ok: true, expected: broken ? 'broken' : 'safe' });
      if (broken) {
        expect(found.counterexample?.outcome).toMatchObject({ verdict: 'OVERSOLD', sold: 2, initial: 1 });
        return;
      }
      expect(found.coverage.complete).toBe(true);
      // One unit is sold in every schedule: a strategy that never sells would not be safe.
      expect(new Set(found.outcomes.map(({ sold }) => sold))).toEqual(new Set([1]));
    },
    TIMEOUT_MS,
  );

  test(
    'break a WATCH that they share',
    async () => {
      const found = await explore('watch-shared-connection', { instances: 1 }, { first: true });
      expect(found).toMatchObject({ ok: true, expected: 'broken' });
    },
    TIMEOUT_MS,
  );

  test(
    'do not break the mutex of one instance',
    async () => {
      expect(await explore('mutex', { instances: 1 })).toMatchObject({ ok: true, expected: 'safe' });
    },
    TIMEOUT_MS,
  );

  test(
    'need two context switches to break no-lock, and the schedule repeats it',
    async () => {
      const { counterexample, plan } = await explore('no-lock');
      expect(counterexample).toMatchObject({ switches: 2, schedule: 'A2 B5 A3' });
      const replayed = await explorer.replay(plan, counterexample?.schedule ?? '');
      expect(replayed.outcome).toMatchObject({ verdict: 'OVERSOLD', sold: 2 });
      // The trace has the values that the commands carried and returned, and the state after them.
      expect(replayed.steps[1]).toMatchObject({
        actor: 'A',
        server: 'mysql',
        values: [1],
        returned: [{ inventory: 1, stockIn: 'mysql' }],
        source: { file: 'src/stock/stock.ts' },
        after: { inventory: 1, orders: 0 },
      });
      expect(replayed.steps.at(-1)).toMatchObject({ text: 'COMMIT', after: { inventory: 0, orders: 2 } });
    },
    TIMEOUT_MS,
  );

  /** Hand-written rules say which commands commute. Here their result is compared with that of all schedules. */
  test.each(['sql-atomic', 'setnx-lua'])(
    'end %s in the same outcomes with and without reduction, and their number is right',
    async (name) => {
      const reduced = await explore(name);
      const all = await explore(name, {}, { reduced: false });
      const ends = ({ outcomes }: typeof all) => outcomes.map((outcome) => JSON.stringify(outcome)).sort();
      expect(ends(reduced)).toEqual(ends(all));
      expect(reduced.schedules).toBe(BigInt(all.coverage.runs));
    },
    TIMEOUT_MS,
  );
});

describe('a lease that ends at any point', () => {
  const expire = { faults: 'expire' } as const;

  test.each([
    // P3: the holder reads, its lease ends, the next buyer sells, the holder writes.
    ['setnx-lua', 'OVERSOLD'],
    ['setnx-watchdog', 'OVERSOLD'],
    // P6: both tokens are larger than the stored one when they are compared.
    ['fencing-token', 'OVERSOLD'],
    // P16: the late holder gets the larger token.
    ['token-after-acquire', 'OVERSOLD'],
  ])(
    'breaks %s: %s',
    async (name, verdict) => {
      const found = await explore(name, expire, { first: true });
      expect(found).toMatchObject({ ok: true, expected: 'broken' });
      expect(found.counterexample?.outcome.verdict).toBe(verdict);
      expect(found.counterexample?.schedule).toMatch(/expire:[AB]/);
    },
    TIMEOUT_MS,
  );

  test(
    'after COMMIT breaks setnx-blind-delete: three are sold of two (P2)',
    async () => {
      const late = { buyers: 3, instances: 3, stock: 2, faults: 'expire-late' } as const;
      const found = await explore('setnx-blind-delete', late, { first: true });
      expect(found).toMatchObject({ ok: true, expected: 'broken' });
      expect(found.counterexample?.outcome).toMatchObject({ verdict: 'OVERSOLD', sold: 3, initial: 2 });
    },
    TIMEOUT_MS,
  );

  test.each(['sql-atomic', 'cas-version', 'lease-seq'])(
    'does not break %s',
    async (name) => {
      expect(await explore(name, expire, { preemptions: 1 })).toMatchObject({ ok: true, expected: 'safe' });
    },
    TIMEOUT_MS,
  );
});

describe('an answer that is lost at any point', () => {
  const lost = { faults: 'lost-reply', stock: 2 } as const;

  test(
    'lets a buyer of sql-atomic buy twice',
    async () => {
      const found = await explore('sql-atomic', lost, { first: true, preemptions: 0 });
      expect(found).toMatchObject({ ok: true, findings: { DUPLICATE: 1 } });
      expect(found.counterexample?.steps.filter(({ error }) => error !== undefined)).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  test(
    'and a buyer with an idempotency key buys once',
    async () => {
      const found = await explore('stored-procedure', { ...lost, keys: true });
      expect(found).toMatchObject({ ok: true, expected: 'safe', coverage: { complete: true } });
      // Every buyer can be the one whose answer is lost, at every command.
      expect(found.coverage.runs).toBeGreaterThan(10);
    },
    TIMEOUT_MS,
  );
});

describe('a process that is killed at any point', () => {
  test(
    'loses a unit of a Redis stock without a reconciler’s record',
    async () => {
      const found = await explore('gate-without-guard', { faults: 'crash' }, { first: true, preemptions: 0 });
      expect(found).toMatchObject({ ok: true, expected: 'broken' });
      expect(found.counterexample?.outcome.verdict).toBe('LEAKED');
      expect(found.counterexample?.schedule).toMatch(/crash:[AB]/);
    },
    TIMEOUT_MS,
  );
});
