import { type Measured, reportOf } from '../../load-tests/lib/report.ts';
import { readSettings } from '../../load-tests/lib/settings.ts';
import { textOf } from '../../load-tests/lib/text.ts';
import { REQUIRED, saleMetric, sliceMetric, thresholds } from '../../load-tests/lib/thresholds.ts';
import { type Guarantee } from '../../src/contract/strategy.js';
import { type Verdict, VERDICTS } from '../../src/contract/verdict.js';

const settings = readSettings(
  'strategy',
  { ADMIN_TOKEN: 'the-secret-token-of-the-shop' },
  { strategies: 'x', stock: 10, vus: 5 },
);

interface Facts {
  readonly safe?: Guarantee;
  readonly verdict?: Verdict;
  readonly sold?: number;
  readonly ok?: number;
  readonly sent?: number;
  /** Metrics whose threshold failed, and their counts. */
  readonly broken?: Readonly<Record<string, number>>;
}

/** The data that k6 passes to the report after a run with one sale. */
function measured(facts: Facts = {}): Measured {
  const { safe = 'always', verdict = 'SAFE', sold = 10, ok = 10, sent = 40, broken = {} } = facts;
  const counts = {
    purchases_sent: sent,
    purchases_ok: ok,
    purchases_sold_out: 30,
    not_audited: 0,
    ...broken,
  };
  const gauges = { audit_verdict: VERDICTS.indexOf(verdict), audit_initial: 10, audit_sold: sold };
  return {
    state: { isStdOutTTY: false },
    setup_data: {
      startedAt: 0,
      skipped: ['etcd'],
      sales: [{ slot: '0', goodsId: 1, strategy: { name: 'x', safe, baskets: false } }],
    },
    metrics: {
      ...Object.fromEntries(
        Object.entries(counts).map(([name, count]) => [
          saleMetric(name, '0'),
          { values: { count }, thresholds: { [REQUIRED[name] ?? '']: { ok: !(name in broken) } } },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(gauges).map(([name, value]) => [saleMetric(name, '0'), { values: { value } }]),
      ),
      [saleMetric('load_seconds', '0')]: { values: { value: 1, max: 4 } },
      [saleMetric('http_req_duration', '0')]: { values: { med: 3.21, 'p(95)': 40.4, 'p(99)': 80, max: 99 } },
      [sliceMetric('purchases_ok', 1)]: { values: { count: 6 } },
      [sliceMetric('http_req_duration', 1)]: { values: { med: 1, 'p(95)': 2, 'p(99)': 3, max: 4 } },
    },
  };
}

const report = (facts?: Facts, strict = false) =>
  reportOf(measured(facts), { ...settings, strict }, { headline: 'a test', slices: 0 });

test('a run in which everything held has passed, with its numbers', () => {
  expect(report()).toMatchObject({
    script: 'strategy',
    passed: true,
    skipped: ['etcd'],
    sales: [
      {
        strategy: 'x',
        verdict: 'SAFE',
        sold: 10,
        oversoldBy: 0,
        outcomes: { sent: 40, ok: 10, soldOut: 30, refused: 0, unknown: 0 },
        seconds: 4,
        soldPerSecond: 2.5,
        purchasesPerSecond: 10,
        latencyMs: { p50: 3.21, p95: 40.4, p99: 80, max: 99 },
        failed: [],
      },
    ],
  });
});

test('a purchase that was cut off counts as unknown', () => {
  expect(report({ sent: 42 }).sales[0]?.outcomes.unknown).toBe(2);
});

test('the report does not have the token', () => {
  expect(JSON.stringify(report())).not.toContain('the-secret-token');
});

test('a run without sales has not passed', () => {
  const { state, metrics } = measured();
  const empty = reportOf({ state, metrics }, settings, { headline: 'a test', slices: 0 });
  expect(empty.passed).toBe(false);
  expect(textOf(empty, false)).toMatch(/Nothing was measured\.\n\nFAILED/);
});

test.each<[string, Facts, string]>([
  [
    'oversold',
    { verdict: 'OVERSOLD', sold: 12, ok: 12, broken: { oversold: 1 } },
    '✗ x, goods 1: oversold by 2: 12 sold of 10, although the strategy promises to be safe: always.',
  ],
  ['duplicate_sales', { broken: { duplicate_sales: 3 } }, '3 purchases were sold again under the same key.'],
  [
    'ledger_missing',
    { broken: { ledger_missing: 2 } },
    '2 units that buyers have a receipt for are not in the ledger.',
  ],
  [
    'ledger_unexplained',
    { broken: { ledger_unexplained: 1 } },
    '1 units are in the ledger that no buyer can have bought.',
  ],
  [
    'not_audited',
    { broken: { not_audited: 1 } },
    'no verdict: the test was cut off, orders stayed in flight',
  ],
])('%s fails the run and is said in a sentence', (_, facts, sentence) => {
  const failed = report(facts);
  expect(failed.passed).toBe(false);
  expect(textOf(failed, false)).toContain(sentence);
  expect(textOf(failed, false)).toMatch(/FAILED\n/);
});

test('an oversell of a strategy that promises nothing is reported and does not fail the test', () => {
  const text = textOf(report({ safe: 'never', verdict: 'OVERSOLD', sold: 40, ok: 40 }), false);
  expect(text).toContain(
    '! x, goods 1: OVERSOLD by 30 (40 sold of 10).\n  These strategies do not promise to be safe',
  );
  expect(text).toMatch(/PASSED\n/);
});

test('with STRICT=1 the same oversell fails the test', () => {
  const strict = report({ safe: 'never', verdict: 'OVERSOLD', sold: 40, broken: { oversold: 1 } }, true);
  expect(textOf(strict, false)).toContain(
    'oversold by 30: 40 sold of 10, although STRICT=1 requires it to be safe.',
  );
});

test('a sale that was not audited has no verdict, whatever the gauges hold', () => {
  const cutOff = report({ broken: { not_audited: 1, ledger_missing: 10 } });
  expect(cutOff.sales[0]?.verdict).toBeNull();
  expect(textOf(cutOff, false)).not.toContain('ledger');
});

test('colours only where they are wanted', () => {
  expect(textOf(report(), false)).not.toContain('\x1b[');
  expect(textOf(report(), true)).toContain('\x1b[32mPASSED');
});

test('the report has a table of the time slices that a long run completed', () => {
  const long = reportOf(measured(), settings, { headline: 'a test', slices: 2 });
  expect(long.slices.map(({ ok }) => ok)).toEqual([6]);
  expect(textOf(long, false)).toMatch(/part of the test {2}ok .*\n1 {15}\s*6 /);
});

test('k6 keeps every metric of every sale, and checks the thresholds', () => {
  const rules = thresholds(['0', '1'], 1);
  expect(rules[saleMetric('oversold', '1')]).toEqual(['count==0']);
  expect(rules[saleMetric('ledger_missing', '0')]).toEqual(['count<=0']);
  expect(rules[saleMetric('audit_verdict', '0')]).toEqual([]);
  expect(rules[sliceMetric('http_req_duration', 1)]).toEqual([]);
});
