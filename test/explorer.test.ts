import { Explorer, type ExploreOptions } from '../src/lab/explorer/explorer.js';
import { type ExplorationPlan } from '../src/lab/explorer/real-system.js';

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

describe('two buyers of one unit, without faults', () => {
  test.each([
    'check-then-act',
    'mutex',
    'lock-inside-transaction',
    // Copies of safe strategies with one mistake.
    'lock-per-request',
    'for-update-autocommit',
    'early-snapshot',
  ])(
    'break %s',
    async (name) => {
      const found = await explore(name, {}, { first: true });
      expect(found).toMatchObject({ ok: true, expected: 'broken' });
      expect(found.counterexample?.outcome).toMatchObject({ verdict: 'OVERSOLD', sold: 2, initial: 1 });
    },
    TIMEOUT_MS,
  );

  test.each(['sql-atomic', 'for-update', 'cas-version', 'lease-seq', 'setnx-blind-delete', 'reentrant'])(
    'never break %s',
    async (name) => {
      const found = await explore(name);
      expect(found).toMatchObject({ ok: true, expected: 'safe', coverage: { complete: true } });
      // One unit is sold in every schedule: a strategy that never sells would not be safe.
      expect(new Set(found.outcomes.map(({ sold }) => sold))).toEqual(new Set([1]));
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
    ['setnx-lua', 1],
    // P6: both tokens are larger than the stored one when they are compared.
    ['fencing-token', 2],
    // P16: the late holder gets the larger token.
    ['token-after-acquire', 1],
  ])(
    'breaks %s with %d preemptions',
    async (name, preemptions) => {
      const found = await explore(name, expire, { preemptions, first: true });
      expect(found).toMatchObject({ ok: true, expected: 'broken' });
      expect(found.counterexample?.schedule).toContain('expire');
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
