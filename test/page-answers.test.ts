import { type Browser, type Page } from 'playwright-core';
import { SENTENCES } from '../src/contract/claims.js';
import { zh } from '../web/texts/zh.js';
import { EventStream, PageServer } from './support/page-server.js';
import { launchBrowser, type Visit, Visitor } from './support/visitor.js';

// The page with prepared answers, for states that a lab reaches only by chance: see test/support/page-server.ts.
jest.setTimeout(120_000);

const at = '2026-01-02T03:04:05.000Z';
const SYSTEM = {
  version: '1.0.0',
  startedAt: at,
  instances: [{ name: 'instance-1', pid: 1, state: 'up', restarts: 0 }],
  engines: [],
  pools: [],
  locks: [],
  streamLag: 0,
};
const STRATEGY = {
  name: 'setnx-lua',
  family: 'redis-lock',
  lesson: 1,
  title: 'SET NX',
  stock: 'mysql',
  needs: ['redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause'],
  teaches: 'A lesson.',
  useWhen: 'The advice of the server.',
  costs: 'The price of the server.',
  promises: { neverOversells: {}, losesNothing: { unless: [] }, sellsOnce: {} },
  baskets: false,
  available: true,
};
const FOUR = ['no-lock', 'check-then-act', 'lock-inside-transaction', 'mutex'];
const CONFIG = { strategies: FOUR, stock: 100, buyers: 50, requests: 400 };
const INVARIANTS = [
  { name: 'no-oversell', ok: false, detail: '400 sold, 100 in stock' },
  { name: 'chain', ok: true, detail: '0 orders started from stale stock' },
  { name: 'conservation-redis', ok: true, detail: 'not applicable: the stock is not in Redis' },
];
const resultOf = (strategy: string) => ({
  strategy,
  verdict: 'OVERSOLD',
  oversoldBy: 300,
  throughput: 80,
  p50: 1,
  p95: 2,
  p99: 3,
  kept: true,
  outcomes: { sold: 400, soldOut: 0, refused: 0, unknown: 0 },
  perInstance: { 'instance-1': 400 },
  audit: { initial: 100, sold: 400, remaining: 0, invariants: INVARIANTS },
});
const RUN = { startedAt: at, config: CONFIG, samples: {} };
const FAULTS = ['none', 'pause', 'crash'].map((id) => ({ id, title: id, label: id }));
const ROWS = Array.from({ length: 60 }, (_, row) => ({
  strategy: `strategy-${row}`,
  title: '',
  family: 'unsafe',
  cells: {},
}));
const EXPERIMENT = {
  id: 'pause.setnx-lua',
  title: 'A pauses',
  claims: ['C12', 'P3'],
  strategy: 'setnx-lua',
  fault: 'pause',
  expected: 'breaks',
  needs: [],
};
const ANSWERS = {
  '/lab/system': SYSTEM,
  '/lab/system/stream': new EventStream([{ name: 'system', data: SYSTEM }]),
  '/strategies': [STRATEGY, ...FOUR.map((name) => ({ ...STRATEGY, name }))],
  '/lessons/setnx-lua.json': { files: [], transcript: null },
  '/lab/runs': [],
  '/lab/runs/four': { ...RUN, id: 'four', state: 'done', results: FOUR.map(resultOf) },
  '/lab/runs/live': { ...RUN, id: 'live', state: 'running', results: [] },
  '/lab/runs/live/stream': new EventStream([]),
  '/lab/experiments': [EXPERIMENT],
  '/lab/matrix': { faults: FAULTS, rows: ROWS },
};

let browser: Browser;
const servers: PageServer[] = [];
/** One page for each kind of visitor: opening another one costs more than a test. Each test has a server, an origin, of its own. */
const pages = new Map<string, Page>();

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});
afterEach(async () => {
  // Ends the streams of events, and what the test changed in the page.
  for (const page of pages.values()) await page.goto('about:blank');
  for (const server of servers.splice(0)) await server.close();
});

async function visit(
  answers: Readonly<Record<string, unknown>> = {},
  options: Omit<Visit, 'url' | 'token'> = {},
) {
  const server = await PageServer.open({ ...ANSWERS, ...answers });
  servers.push(server);
  return Visitor.open(await pageWith(options), { url: server.url });
}

async function pageWith(options: Omit<Visit, 'url' | 'token'>): Promise<Page> {
  const kind = JSON.stringify(options);
  const page =
    pages.get(kind) ?? (await (await browser.newContext({ locale: 'en-US', ...options })).newPage());
  pages.set(kind, page);
  return page;
}

const screen = (width: number, height = 720) => ({ viewport: { width, height } });

describe('layout', () => {
  test('four verdicts fit into their panels on a screen of 1280 px', async () => {
    const visitor = await visit({}, screen(1280));
    await visitor.go('run/four');
    // How many pixels each headline extends into the padding of its panel or beyond.
    const overhang = await visitor.page
      .evaluate(`[...document.querySelectorAll('.verdict-panel')].map((panel) => {
      const inner = panel.getBoundingClientRect().right - parseFloat(getComputedStyle(panel).paddingRight);
      const { right } = panel.querySelector('.verdict-word span').getBoundingClientRect();
      return Math.max(0, Math.round(right - inner));
    })`);
    expect(overhang).toEqual([0, 0, 0, 0]);
  });

  test.each([390, 1024, 1100, 1440])(
    'the footer keeps its distance from the edges at %i px',
    async (width) => {
      const { page } = await visit({}, screen(width));
      const box = await page.locator('footer').boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(16);
      expect(width - (box?.x ?? 0) - (box?.width ?? 0)).toBeGreaterThanOrEqual(16);
    },
  );

  test('the names of the faults stay visible while the matrix is scrolled', async () => {
    const visitor = await visit({}, screen(1280));
    await visitor.go('experiments');
    await visitor.page.evaluate(`document.querySelector('.matrix').scrollIntoView();
      document.querySelector('.matrix').scrollTop = 1e6`);
    const header = await visitor.page.getByRole('columnheader', { name: 'pause' }).boundingBox();
    const last = await visitor.page.getByRole('rowheader', { name: 'strategy-59' }).boundingBox();
    expect(last?.y).toBeLessThan(720);
    expect((header?.y ?? 0) + (header?.height ?? 0)).toBeGreaterThan(0);
    expect((header?.y ?? 0) + (header?.height ?? 0)).toBeLessThanOrEqual(last?.y ?? 0);
  });
});

describe('what is shown', () => {
  test('a strategy says when to use it and what it costs, in the language of the reader', async () => {
    const visitor = await visit();
    await visitor.go('strategies/setnx-lua');
    const advice = visitor.page.locator('.advice');
    expect(await advice.innerText()).toMatch(
      /Use it when\s+The advice of the server\.\s+What it costs\s+The price/,
    );
    await visitor.button('简体中文').click();
    await visitor.page.getByText('适用场景').waitFor();
    expect(await advice.innerText()).toContain(zh.strategyTexts['setnx-lua']?.costs);
  });

  test('a claim is shown with its sentence, in the language of the reader', async () => {
    const visitor = await visit();
    await visitor.go('experiments/pause.setnx-lua');
    const claims = visitor.page.locator('.claims li');
    expect(await claims.allInnerTexts()).toEqual([
      expect.stringMatching(new RegExp(`^C12\\s+${SENTENCES.C12.slice(0, 40)}`)),
      expect.stringMatching(new RegExp(`^P3\\s+${SENTENCES.P3.slice(0, 40)}`)),
    ]);
    await visitor.button('简体中文').click();
    await visitor.page.getByText(zh.claims.P3).waitFor();
  });

  test('an invariant that does not apply has no tick', async () => {
    const visitor = await visit();
    await visitor.go('run/four');
    const items = visitor.page.locator('.audits > div').first().locator('li');
    const tones = await Promise.all([0, 1, 2].map((index) => items.nth(index).getAttribute('class')));
    expect(tones).toEqual(['bad', 'good', 'calm']);
    expect(await items.last().innerText()).toMatch(
      /conservation-redis\s+not applicable\s+the stock is not in Redis/,
    );
  });

  test('sales above the stock are not shown as a percentage', async () => {
    const visitor = await visit({
      '/lab/runs/live/stream': new EventStream([{ name: 'sample', data: SAMPLE }]),
    });
    await visitor.go('run/live');
    await visitor.page.locator('.verdict-number', { hasText: '120 sold, 100 in stock' }).waitFor();
  });

  test('a server that is down is named in the banner, and counted next to it', async () => {
    const system = { ...SYSTEM, engines: [{ name: 'etcd', pid: null, state: 'down', restarts: 0 }] };
    const { page } = await visit({
      '/lab/system/stream': new EventStream([{ name: 'system', data: system }]),
    });
    await page.locator('.banner', { hasText: 'Not running: etcd.' }).waitFor();
    expect(await page.locator('.lab-pill').innerText()).toBe('1 server down');
  });

  test('code in a message is formatted as code, without backticks', async () => {
    const visitor = await visit();
    await servers[0]?.close();
    const { page } = visitor;
    await page.locator('.banner code', { hasText: 'npm start' }).waitFor();
    expect(await page.locator('body').innerText()).not.toContain('`');
  });
});

const SAMPLE = {
  strategy: 'no-lock',
  t: 500,
  stock: 0,
  sold: 120,
  soldPerSecond: 240,
  p50: 1,
  p95: 1,
  p99: 1,
  outcomes: { sold: 120, soldOut: 0, refused: 0, unknown: 0 },
  perInstance: {},
};

describe('what can be done', () => {
  test('a second sale cannot be started while the first one runs', async () => {
    const visitor = await visit();
    await visitor.page.goto(`${servers[0]?.url ?? ''}/#/?demo=live`);
    const button = visitor.button('Selling …');
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
  });

  test('a link to the form with other strategies is followed while the form is open', async () => {
    const visitor = await visit();
    const picked = visitor.page.locator('.picked code');
    await visitor.go('run?strategies=no-lock');
    expect(await picked.allInnerTexts()).toEqual(['no-lock']);
    await visitor.go('run?strategies=mutex,setnx-lua');
    await visitor.page.locator('.picked', { hasText: 'setnx-lua' }).waitFor();
    expect(await picked.allInnerTexts()).toEqual(['mutex', 'setnx-lua']);
  });
});

describe('an answer that is not in the contract', () => {
  const message = (path: string) => `The answer of ${path} is not what this page expects.`;

  test.each([
    ['strategies', '/strategies', { strategies: [] }],
    ['strategies', '/strategies', [{ name: 'no-lock' }]],
    ['run/four', '/lab/runs/four', { id: 'four', state: 'done' }],
    ['experiments', '/lab/matrix', []],
    ['experiments', '/lab/experiments', 'none'],
  ])('to the view %s: %s says %j', async (view, path, answer) => {
    const visitor = await visit({ [path]: answer });
    await visitor.go(view);
    await visitor.page.getByText(message(path)).waitFor();
  });

  test('in a stream of events', async () => {
    const stream = new EventStream([{ name: 'sample', data: { strategy: 'no-lock' } }]);
    const visitor = await visit({ '/lab/runs/live/stream': stream });
    await visitor.go('run/live');
    await visitor.page.getByText(message('/lab/runs/live/stream')).waitFor();
  });

  test('in the state of the lab', async () => {
    const stream = new EventStream([{ name: 'system', data: { version: 2 } }]);
    const { page } = await visit({ '/lab/system/stream': stream });
    await page.locator('.banner', { hasText: message('/lab/system/stream') }).waitFor();
  });
});
