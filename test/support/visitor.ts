import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findCommand, OPTIONAL_PROGRAMS } from '../../bin/programs.js';

/** No sandbox: it needs rights that a container's root does not have. No calls home: the tests are on their own. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export function launchBrowser(): Promise<Browser> {
  const program = OPTIONAL_PROGRAMS.find(({ name }) => name === 'Chromium');
  const executablePath = findCommand(...(program?.commands ?? []));
  if (executablePath === undefined) {
    throw new Error(
      'The tests of the page need Chromium: sudo apt-get install --no-install-recommends chromium',
    );
  }
  return chromium.launch({ executablePath, args: FLAGS });
}

/** What a visitor may ask of the machine. */
export interface Visit extends BrowserContextOptions {
  /** Where the page is. */
  readonly url: string;
  /** The admin token, for a visitor who comes by the link that the lab prints. */
  readonly token?: string;
}

/** Somebody with a browser of his own, who notices everything that goes wrong in it. */
export class Visitor {
  /** Errors in the console, the policy's among them, errors of scripts, requests to elsewhere. */
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${url}/`)) this.complaints.push(`asks elsewhere: ${request.url()}`);
    });
  }

  static async come(browser: Browser, { url, token, ...options }: Visit): Promise<Visitor> {
    const context = await browser.newContext({ locale: 'en-US', ...options });
    const visitor = new Visitor(await context.newPage(), url);
    await visitor.page.goto(token === undefined ? url : `${url}/#token=${token}`);
    await visitor.page.locator('h1').waitFor();
    return visitor;
  }

  async leave(): Promise<void> {
    await this.page.context().close();
  }

  /** Goes to a view by its address, and waits until it is there. */
  async go(view: string): Promise<void> {
    await this.page.goto(`${this.url}/#/${view}`);
    const place = view.split('?')[0] || 'home';
    await this.page.locator(`main[data-place="${place}"] h1`).waitFor();
    await this.page.locator('.loading').first().waitFor({ state: 'detached' });
  }

  button(name: string): ReturnType<Page['getByRole']> {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** How far the page reaches beyond the right edge of the window, in pixels. */
  overflow(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  }

  /** What axe-core finds wrong for those who do not see or do not point. Evaluated, because the policy bars scripts. */
  async barriers(): Promise<string[]> {
    await this.page.evaluate(AXE);
    return this.page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)))`);
  }
}
