import { type Browser } from 'playwright-core';
import { eventually } from './support/eventually.js';
import { RunningLab } from './support/running-lab.js';
import { launchBrowser, type Visit, Visitor } from './support/visitor.js';

// A whole system and a browser on two cores are slow. No test here waits for a fixed time.
jest.setTimeout(240_000);

let lab: RunningLab;
let browser: Browser;
const visitors: Visitor[] = [];

beforeAll(async () => {
  [lab, browser] = await Promise.all([RunningLab.open({ instances: 2 }), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await lab.close();
});
afterEach(async () => {
  const complaints = visitors.flatMap((visitor) => visitor.complaints);
  for (const visitor of visitors.splice(0)) await visitor.leave();
  expect(complaints).toEqual([]);
});

async function visit(options: Partial<Visit> = {}): Promise<Visitor> {
  const visitor = await Visitor.come(browser, { url: lab.url, ...options });
  visitor.page.setDefaultTimeout(120_000);
  visitors.push(visitor);
  return visitor;
}
const visitWithToken = (options: Partial<Visit> = {}) => visit({ token: lab.token, ...options });

/** Runs strategies from the form with a small load. Resolves with the panel of each. */
async function run(visitor: Visitor, ...strategies: string[]): Promise<void> {
  await visitor.go(`run?strategies=${strategies.join(',')}&stock=20&buyers=20&requests=60`);
  await visitor.button('Run').click();
  for (const strategy of strategies)
    await visitor.page.locator(`.verdict-panel[data-strategy=${strategy}][data-verdict]`).waitFor();
}

describe('the first visit', () => {
  test('one click shows overselling without a lock, and none with a lock; the page asks for the token once', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.button('Sell 100 items to a crowd').click();
    await page.getByLabel('Token', { exact: true }).fill('not-the-right-one');
    await visitor.button('Continue').click();
    await page.getByText('The server did not accept this token.').waitFor();
    await page.getByLabel('Token', { exact: true }).fill(lab.token);
    await visitor.button('Continue').click();
    await page.locator('.shelf[data-verdict=SAFE]').waitFor();
    const [without = '', withLock = ''] = await page.locator('.shelf').allInnerTexts();
    expect(without).toMatch(/OVERSOLD\s+\d+ customers? paid for an item that does not exist/);
    expect(withLock).toContain('Exactly 100 sold');
    // The browser logs the 401 answer to the wrong token in its console.
    expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  test('the link that the lab prints contains the token, and the page removes it from the address bar', async () => {
    const visitor = await visitWithToken();
    expect(visitor.page.url()).toBe(`${lab.url}/#/`);
    await visitor.go('run?strategies=for-update&stock=5&buyers=5&requests=10');
    await visitor.button('Run').click();
    await visitor.page.locator('.verdict-panel').waitFor();
    expect(await visitor.page.locator('dialog').count()).toBe(0);
  });

  test('the story of the last item can be stepped through with the keyboard', async () => {
    const { page } = await visit();
    await page.getByText('Step 1 of 7').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Step 2 of 7').waitFor();
    await page.keyboard.press('End');
    await page.getByText('Step 7 of 7').waitFor();
    expect(await page.locator('.step.current').innerHTML()).toContain('stock 0, orders 2');
    // A key press right after the click continues from the step of the click.
    await page.evaluate(`document.querySelector('[aria-label="First step"]').click();
      Promise.resolve().then(() => window.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' })))`);
    await page.getByText('Step 2 of 7').waitFor();
  });
});

describe('a run', () => {
  test('of no-lock ends in OVERSOLD, with the number and a sentence', async () => {
    const visitor = await visitWithToken();
    await run(visitor, 'no-lock');
    const text = await visitor.page.locator('.verdict-panel').innerText();
    expect(text).toMatch(/OVERSOLD/);
    expect(text).toMatch(/\+\d+ sold without stock/);
    expect(text).toMatch(/\d+ were sold, but only 20 were in stock/);
  });

  test('of for-update ends in SAFE', async () => {
    const visitor = await visitWithToken();
    await run(visitor, 'for-update');
    const text = await visitor.page.locator('.verdict-panel').innerText();
    expect(text).toContain('SAFE');
    expect(text).toContain('All 20 were sold, each once');
  });

  test('of two strategies shows both on the same axes; earlier results can be compared', async () => {
    const visitor = await visitWithToken();
    const { page } = visitor;
    await run(visitor, 'for-update');
    await run(visitor, 'no-lock', 'sql-atomic');
    expect(await page.locator('.verdict-panel').count()).toBe(2);
    expect(await page.locator('.plot canvas').count()).toBe(3);
    const stock = await page.locator('.plot').first().getAttribute('aria-label');
    expect(stock).toContain('no-lock');
    expect(stock).toContain('sql-atomic');

    await visitor.go('run');
    const runs = page.locator('.past-run');
    await runs.first().waitFor();
    await page
      .getByRole('checkbox', { name: /^Compare sql-atomic/ })
      .first()
      .check();
    await page
      .getByRole('checkbox', { name: /^Compare for-update/ })
      .first()
      .check();
    await page.getByRole('link', { name: 'Compare 2 results' }).click();
    await page.getByRole('heading', { name: 'Comparison' }).waitFor();
    await page.locator('.verdict-panel').nth(1).waitFor();
    expect(await page.locator('.verdict-panel').allInnerTexts()).toEqual([
      expect.stringContaining('sql-atomic'),
      expect.stringContaining('for-update'),
    ]);
  });

  test('is still shown after a reload in the middle, and can be stopped', async () => {
    const visitor = await visitWithToken();
    const { page } = visitor;
    await visitor.go('run?strategies=for-update&stock=100000&buyers=10&requests=100000');
    await visitor.button('Run').click();
    const sold = page.locator('.verdict-number', { hasText: 'of 100,000 sold' });
    await sold.waitFor();
    await page.reload();
    await sold.waitFor();
    await visitor.button('Stop').click();
    await page.locator('.run-state.stopped').waitFor();
    expect(await page.locator('.verdict-panel').getAttribute('data-verdict')).toBe('SAFE');
    await visitor.go('run');
    await page.locator('.past-run .run-state.stopped').waitFor();
  });
});

describe('the catalogue', () => {
  test('can be searched and filtered; a strategy shows its source and what it sends', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.go('strategies');
    const all = await page.locator('.card').count();
    expect(all).toBeGreaterThan(20);
    await visitor.button('Never safe').click();
    expect(await page.locator('.card').count()).toBeLessThan(all);
    await visitor.button('All').click();
    await page.getByRole('searchbox').fill('for-update');
    expect(await page.locator('.card').count()).toBe(1);
    await page.getByRole('link', { name: 'SELECT … FOR UPDATE' }).click();
    await page.locator('.code').first().waitFor();
    expect(await page.locator('.code').first().innerText()).toContain('export class ForUpdate');
    expect(await page.locator('.code').last().innerText()).toContain('FOR UPDATE;');
  });
});

describe('an experiment', () => {
  test('is run from its cell, live; its story can be stepped through, with the code, the proof and the rows', async () => {
    const visitor = await visitWithToken();
    const { page } = visitor;
    await visitor.go('experiments');
    await page.getByRole('link', { name: /^mutex, Two buyers at two instances/ }).click();
    // The page shows the story of the previous run until this run begins, so wait for the story of this run.
    const evidence = page.waitForResponse((response) => response.url().endsWith('/several-instances.mutex'));
    await page.getByRole('button', { name: /^Run it (now|again, live)$/ }).click();
    await visitor.button('Running …').waitFor();
    await page.locator('.step').first().waitFor();
    await evidence;
    await page.getByRole('button', { name: 'Run it again, live' }).waitFor();
    await page.locator('.story-verdict[data-verdict=OVERSOLD]').waitFor();
    expect(await page.locator('.story-verdict').innerText()).toContain('2 sold, 1 in stock');

    await page.getByText(/^Step 1 of \d+$/).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText(/^Step 2 of \d+$/).waitFor();
    await visitor.button('Next step').click();
    await page.getByText(/^Step 3 of \d+$/).waitFor();
    expect(page.url()).toContain('step=3');
    await visitor.button('Last step').click();
    // In a low window, too, the current step is visible.
    const window = page.viewportSize();
    await page.setViewportSize({ width: 1280, height: 720 });
    await visitor.button('Previous step').click();
    await visitor.button('Last step').click();
    const current = await page.locator('.step.current').boundingBox();
    expect(current?.y).toBeGreaterThan(0);
    expect((current?.y ?? 0) + (current?.height ?? Infinity)).toBeLessThanOrEqual(720);
    if (window) await page.setViewportSize(window);
    // From the end back to the last step with a line of the service.
    const code = page.locator('.step-card .code');
    const [, last] = /of (\d+)$/.exec(await page.getByText(/^Step \d+ of \d+$/).innerText()) ?? [];
    for (let step = Number(last); (await code.count()) === 0; step -= 1) {
      await page.getByText(`Step ${step} of ${last}`, { exact: true }).waitFor();
      await page.keyboard.press('ArrowLeft');
    }
    expect(await page.locator('.step-card .path').innerText()).toMatch(/^src\/.+\.ts · \S+$/);
    expect(await page.locator('table.rows').last().innerText()).toMatch(/SALE[\s\S]*SALE/);

    await page.reload();
    await page.getByText(/^Step \d+ of \d+$/).waitFor();
    // Another step in the address is shown at once.
    await page.evaluate(`location.hash = location.hash.replace(/step=\\d+/, 'step=5')`);
    await page.getByText(`Step 5 of ${last}`, { exact: true }).waitFor();
    await visitor.go('experiments');
    await page.getByRole('link', { name: 'mutex, Two buyers at two instances: Oversold' }).waitFor();
  });
});

describe('languages', () => {
  test('the switch changes every view and is remembered', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.button('简体中文').click();
    await page.getByRole('heading', { level: 1, name: '商店怎么会卖出自己没有的东西？' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.reload();
    await visitor.go('strategies');
    await page.getByRole('heading', { level: 1, name: '策略' }).waitFor();
    expect(await page.locator('.card .idea').first().innerText()).toMatch(/只有事务不够/);
  });

  test('a browser that prefers Chinese gets it', async () => {
    const { page } = await visit({ locale: 'zh-CN' });
    await page.getByRole('button', { name: 'English' }).waitFor();
  });
});

const STORY = 'experiments/several-instances.mutex';
const VIEWS = ['', 'strategies', 'strategies/setnx-lua', 'run', 'experiments', STORY, 'system'];

describe.each(['en-US', 'zh-CN'])('on a narrow screen, in %s', (locale) => {
  test('no view is wider than the screen', async () => {
    const visitor = await visitWithToken({ locale, viewport: { width: 390, height: 844 } });
    for (const view of [...VIEWS, await lastRun()]) {
      await visitor.go(view);
      expect([view, await visitor.overflow()]).toEqual([view, 0]);
    }
  });
});

describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
  test('axe-core finds no accessibility problem in any view', async () => {
    const visitor = await visitWithToken({ colorScheme });
    for (const view of [...VIEWS, await lastRun(), 'nowhere']) {
      await visitor.go(view);
      expect([view, await visitor.barriers()]).toEqual([view, []]);
    }
  });
});

async function lastRun(): Promise<string> {
  const [run] = (await (await fetch(`${lab.url}/lab/runs`)).json()) as { readonly id: string }[];
  return `run/${run?.id ?? ''}`;
}

describe('crashes and restarts', () => {
  test('a crashed instance is named, and restarts', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await page.getByText('Lab up, 2 instances').waitFor();
    // An instance restarts faster than the page polls, so it is killed until the page has noticed it.
    const banner = page.getByText('Not running: instance-1');
    await eventually('the page names the instance', () => {
      lab.killInstance('instance-1');
      return banner.isVisible();
    });
    await page.getByText('Lab up, 2 instances').waitFor();
    expect(await page.locator('.banner p').count()).toBe(0);
  });

  test('every view reports that the lab has stopped, and the page recovers when it runs again', async () => {
    const visitor = await visitWithToken();
    const { page } = visitor;
    await visitor.go('run');
    await lab.stop();
    await page.getByText('Lockstock does not answer.').waitFor();
    expect(await visitor.button('Run').isDisabled()).toBe(true);
    await lab.start();
    await page.getByText('Lab up, 2 instances').waitFor();
    expect(await page.locator('.banner p').count()).toBe(0);
    await run(visitor, 'for-update');
    // The browser logs every request that gets no answer. There may be no other error.
    const refused = visitor.complaints.splice(0);
    expect(refused.filter((text) => !/Failed to load resource|net::ERR/.test(text))).toEqual([]);
  });
});

describe('how it is served', () => {
  test('only the import map is inline, nothing is loaded from other hosts, libraries are cached, and all other files are revalidated', async () => {
    const index = await fetch(lab.url);
    const policy = index.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/=]+'; style-src 'self';/);
    expect(policy).not.toContain('unsafe');
    expect(index.headers.get('cache-control')).toBe('no-cache');
    const library = /"preact":"([^"]+)"/.exec(await index.text())?.[1] ?? '';
    const kept = await fetch(`${lab.url}${library}`);
    expect(kept.status).toBe(200);
    expect(kept.headers.get('cache-control')).toContain('immutable');
  });
});
