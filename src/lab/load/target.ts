import { setTimeout as sleep } from 'node:timers/promises';
import { type Audit } from '../../contract/audit.js';
import { isAudit, isNewRun, isSoldOrdersPage, isStrategyList } from '../../contract/guards.js';
import { type SoldOrdersPage } from '../../contract/order.js';
import { type StrategyListing } from '../../contract/strategy.js';
import { FIRST_INSTANCES } from '../engines/nginx.js';
import { LabError, reasonOf } from '../errors.js';
import { named } from '../named-strategies.js';
import { bodyOf } from '../service-answers.js';

const ANSWER_WITHIN_MS = 15_000;
/** A gateway or an instance that has just been restarted may fail the first request. */
const TRIES = 3;

/** The system under load: its gateway, and the calls before and after the load. */
export class Target {
  private constructor(
    readonly url: string,
    readonly token: string,
    readonly strategies: ReadonlyMap<string, StrategyListing>,
    /** The last goods of the catalogue: every run resets it, and people use the first ones by hand. */
    readonly goodsId: number,
  ) {}

  /** Checks that Lockstock answers there. */
  static async open(url: string, token: string): Promise<Target> {
    const origin = new URL(url).origin;
    const [strategies, goods] = await Promise.all([
      ask(`${origin}/strategies`, isStrategyList),
      ask(`${origin}/goods`, isGoodsList),
    ]);
    const last = goods.at(-1);
    if (!last) throw new LabError(`${origin} has no goods to sell.`);
    const listings = new Map(strategies.map((listing) => [listing.name, listing]));
    const target = new Target(origin, token, listings, last.id);
    // Fails now if the token is wrong.
    await target.page(null);
    return target;
  }

  /** The same system, with load on other goods. */
  selling(goodsId: number): Target {
    return new Target(this.url, this.token, this.strategies, goodsId);
  }

  /** The strategy of that name, if it can be used now. */
  strategy(name: string): StrategyListing {
    const listing = this.strategies.get(name) ?? named(this.strategies.values(), name);
    if (!listing.available) {
      throw new LabError(
        `${name} is not available: one of its servers does not answer (${listing.needs.join(', ')}).`,
      );
    }
    return listing;
  }

  /** The headers of a request that goes to all instances, or to the first few. */
  headers(instances?: number): Record<string, string> {
    return {
      authorization: `Bearer ${this.token}`,
      ...(instances !== undefined && { [FIRST_INSTANCES]: String(instances) }),
    };
  }

  /** Starts a new run. Its id shows later whether another client has started one since. */
  async reset(inventory: number): Promise<number> {
    const { runId } = await ask(`${this.url}/goods/${this.goodsId}/reset`, isNewRun, {
      method: 'POST',
      headers: { ...this.headers(), 'content-type': 'application/json' },
      body: JSON.stringify({ inventory }),
    });
    return runId;
  }

  audit(): Promise<Audit> {
    return ask(`${this.url}/goods/${this.goodsId}/audit`, isAudit, { headers: this.headers() });
  }

  /** Every sale of the current run, by the order id on its receipt. */
  async soldOrderIds(): Promise<number[]> {
    const ids: number[] = [];
    for (let after: number | null = null; ;) {
      const page = await this.page(after);
      ids.push(...page.orderIds);
      if (page.next === null) return ids;
      after = page.next;
    }
  }

  private page(after: number | null): Promise<SoldOrdersPage> {
    const query = after === null ? '' : `?after=${after}`;
    return ask(`${this.url}/goods/${this.goodsId}/orders${query}`, isSoldOrdersPage, {
      headers: this.headers(),
    });
  }
}

function isGoodsList(body: unknown): body is readonly { readonly id: number }[] {
  return Array.isArray(body) && body.every((goods: { id?: unknown } | null) => typeof goods?.id === 'number');
}

async function ask<T>(
  url: string,
  isExpected: (body: unknown) => body is T,
  request: RequestInit = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).catch(
      (error: unknown) => unreachable(url, error),
    );
    if (response.ok) return bodyOf(response, isExpected);
    if (response.status === 401) throw new LabError('The admin token is wrong. `lockstock up` prints it.');
    if (response.status < 500) throw new LabError(`${url} answered ${response.status}. Is this Lockstock?`);
    // These calls only read or reset, so they may be repeated.
    if (attempt === TRIES) throw new LabError(`${url} answered ${response.status} to all ${TRIES} attempts.`);
    await sleep(500 * attempt);
  }
}

function unreachable(url: string, error: unknown): never {
  throw new LabError(
    `${new URL(url).origin} does not answer (${reasonOf(error)}). Is Lockstock running there?`,
  );
}
