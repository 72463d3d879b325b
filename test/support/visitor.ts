import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findCommand, OPTIONAL_PROGRAMS } from '../../bin/programs.js';

/** No sandbox: it needs rights that root in a container does not have. No requests to the vendor of the browser. */
const FLAGS = [
  '--no-sandbox',
  // A page of the tests needs one process, not one for each of its origins, and none in reserve.
  '--disable-features=SpareRendererForSitePerProcess,IsolateOrigins,site-per-process',
  '--disable-gpu',
  '--in-process-gpu',
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

/** How a visitor opens the page. */
export interface Visit extends BrowserContextOptions {
  /** The address of the page. */
  readonly url: string;
  /** The admin token, as in the link that the lab prints. */
  readonly token?: string;
}

/** A page in a browser, and everything that goes wrong in it. */
export class Visitor {
  /** Errors of scripts and in the console (also those of the security policy), and requests to other hosts. */
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    // Those of a visitor that used the page before.
    for (const event of ['console', 'pageerror', 'request']) page.removeAllListeners(event);
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${url}/`)) this.complaints.push(`asks elsewhere: ${request.url()}`);
    });
  }

  /** With a browser context of its own: no storage and no cache of another visitor. */
  static async come(browser: Browser, { url, token, ...options }: Visit): Promise<Visitor> {
    const context = await browser.newContext({ locale: 'en-US', ...options });
    return Visitor.open(await context.newPage(), { url, ...(token !== undefined && { token }) });
  }

  /** On a page that exists: its storage is separate from that of other addresses. */
  static async open(page: Page, { url, token }: Pick<Visit, 'url' | 'token'>): Promise<Visitor> {
    const visitor = new Visitor(page, url);
    await visitor.page.goto(token === undefined ? url : `${url}/#token=${token}`);
    await visitor.page.locator('h1').waitFor();
    return visitor;
  }

  async leave(): Promise<void> {
    await this.page.context().close();
  }

  /** Opens a view by its address, and waits until it is shown. */
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

  /** The barriers that axe-core finds for users without sight or a mouse. Evaluated, because the policy forbids foreign scripts. */
  async barriers(): Promise<string[]> {
    await this.page.evaluate(AXE);
    return this.page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)))`);
  }
}
