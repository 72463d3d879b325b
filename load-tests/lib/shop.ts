import { sleep } from 'k6';
import http, { type RefinedParams, type RefinedResponse, type ResponseType } from 'k6/http';
import type { Audit } from '../../src/contract/audit.ts';
import { isAudit, isNewRun, isStrategyList } from '../../src/contract/guards.ts';
import type { StrategyListing } from '../../src/contract/strategy.ts';
import { type Answer, type Outcome, outcomeOf } from './outcome.ts';
import type { Line } from './sale.ts';
import type { Settings } from './settings.ts';
import { stop } from './stop.ts';

type Params = RefinedParams<ResponseType>;
type Response = RefinedResponse<ResponseType | undefined>;

/** Longer than the gateway waits for an instance: its 504 says more than a timeout of k6. */
const TIMEOUT = '40s';
const DRAIN_S = 60;
const LOOK_EVERY_S = 0.2;

export interface Purchase {
  /** Different goods, all sold by the same strategy. */
  readonly lines: readonly [Line, ...Line[]];
  readonly key?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/** The shop: the calls of its buyers and of its admin. */
export class Shop {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(private readonly settings: Settings) {
    // Buyers also send the token, because the gateway does not limit the rate of requests with it.
    this.headers = { 'content-type': 'application/json', authorization: `Bearer ${settings.adminToken}` };
  }

  strategies(): StrategyListing[] {
    const { status, body } = this.ask('GET', '/strategies');
    if (status === 0) return stop(`${this.settings.baseUrl} does not answer. Is the shop running?`);
    if (status !== 200 || !isStrategyList(body)) {
      return stop(`${this.settings.baseUrl} is not a Lockstock shop: GET /strategies answered ${status}.`);
    }
    return body;
  }

  /** Starts a new run with this stock, and returns its id. */
  reset(goodsId: number, inventory: number): number {
    const { status, body } = this.ask('POST', `/goods/${goodsId}/reset`, { inventory });
    if (status === 200 && isNewRun(body)) return body.runId;
    if (status === 401) stop('The shop does not accept ADMIN_TOKEN: it is not the token of this shop.');
    if (status === 404) stop(`The shop has no goods ${goodsId}: GET /goods lists them.`);
    return stop(`The reset of goods ${goodsId} failed with status ${status}.`);
  }

  /** The audit once nothing is in flight, or undefined when that does not happen in time. */
  settledAudit(goodsId: number): Audit | undefined {
    const giveUpAt = Date.now() + DRAIN_S * 1000;
    let before: Audit | undefined;
    while (Date.now() < giveUpAt) {
      const { status, body } = this.ask('GET', `/goods/${goodsId}/audit`);
      const audit = status === 200 && isAudit(body) ? body : undefined;
      // A purchase that was cut off may still run without showing in an audit: wait for two equal audits.
      if (audit?.inFlight === 0 && before && same(audit, before)) return audit;
      before = audit;
      sleep(LOOK_EVERY_S);
    }
    return undefined;
  }

  buy(purchase: Purchase): Outcome {
    const { url, body, params } = this.request(purchase);
    return outcome(http.post(url, body, params));
  }

  async buyAsync(purchase: Purchase): Promise<Outcome> {
    const { url, body, params } = this.request(purchase);
    return outcome(await http.asyncRequest('POST', url, body, params));
  }

  /** The same purchase several times at once. */
  buyCopies(purchase: Purchase, copies: number): Outcome[] {
    const { url, body, params } = this.request(purchase);
    const requests = Array.from({ length: copies }, () => ({ method: 'POST', url, body, params }));
    return Object.values(http.batch(requests)).map(outcome);
  }

  private request({ lines, key, tags = {} }: Purchase): { url: string; body: string; params: Params } {
    const { strategy, goodsId } = lines[0].sale;
    const path = lines.length === 1 ? `goods/${goodsId}/deduct` : 'orders';
    const items = lines.map(({ sale, quantity }) => ({ goodsId: sale.goodsId, quantity }));
    const headers = key === undefined ? this.headers : { ...this.headers, 'idempotency-key': key };
    return {
      url: `${this.settings.baseUrl}/${path}/${strategy.name}`,
      body: JSON.stringify(lines.length === 1 ? { quantity: lines[0].quantity } : { items }),
      params: { headers, timeout: TIMEOUT, tags: { ...tags, sale: lines[0].sale.slot } },
    };
  }

  private ask(method: 'GET' | 'POST', path: string, body?: object): Answer {
    const text = body === undefined ? null : JSON.stringify(body);
    const params = { headers: this.headers, timeout: TIMEOUT };
    return answer(http.request(method, `${this.settings.baseUrl}${path}`, text, params));
  }
}

function outcome(response: Response): Outcome {
  return outcomeOf(answer(response));
}

function answer({ status, body }: Response): Answer {
  if (typeof body !== 'string') return { status, body: undefined };
  try {
    return { status, body: JSON.parse(body) as unknown };
  } catch {
    return { status, body: undefined };
  }
}

function same(a: Audit, b: Audit): boolean {
  return a.runId === b.runId && a.sold === b.sold && a.remaining === b.remaining;
}
