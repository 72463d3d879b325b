import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from '../errors.js';
import { type Contention, contentionOf, type Span } from './contention.js';
import { type Destination } from './destination.js';
import { ask, Exchange } from './exchange.js';
import { jsonIn } from './json-path.js';
import { type ProbeOptions } from './options.js';
import { outcomeOf, type PurchaseOutcome } from './sale-criterion.js';

/** What was seen in one round. */
export interface ProbeRound {
  /** The units that could be sold. */
  readonly limit: number;
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly outcomes: readonly PurchaseOutcome[];
  /** Buyers without a connection in time: they sent nothing. */
  readonly unconnected: number;
  readonly contention: Contention;
  /** From the first request to the last answer. */
  readonly ms: number;
}

export interface ProbeDestinations {
  readonly buy: Destination;
  readonly stock: Destination | undefined;
  readonly reset: Destination | undefined;
}

const SETTLES_WITHIN_MS = 1000;
const LOOK_EVERY_MS = 100;

/** Plays rounds against the user's service. */
export class ProbedShop {
  private purchases = 0;

  constructor(
    private readonly options: ProbeOptions,
    private readonly destinations: ProbeDestinations,
    private readonly stop: AbortSignal,
  ) {}

  /** Undefined when nothing is left to sell. `supply` is what may be sold; without it, what the service says. */
  async round(supply: number | undefined): Promise<ProbeRound | undefined> {
    const { reset, headers } = this.options;
    if (reset && this.destinations.reset)
      await ask('The reset', this.destinations.reset, reset, headers, this.deadline());
    const before = await this.stockNow();
    const limit = supply ?? before ?? 0;
    if (limit <= 0) return undefined;
    const deadline = this.deadline();
    const buyers = await this.prepareBuyers(deadline);
    // Sent after the purchases: if it is answered before one of them, the service works on several requests.
    const witness = await this.prepareWitness(deadline);
    const began = performance.now();
    for (const exchange of [...buyers, ...(witness ? [witness] : [])]) exchange.release();
    const replies = await Promise.all(buyers.map(({ reply }) => reply));
    const ms = performance.now() - began;
    await witness?.reply;
    const spans = await Promise.all(buyers.map(spanOf));
    const aside = witness ? await spanOf(witness) : [];
    const outcomes = replies.map((reply) => outcomeOf(reply, this.options.sold, this.options.receipt));
    return {
      limit,
      before,
      after: await this.settledStock(before, outcomes),
      outcomes,
      unconnected: this.options.buyers - buyers.length,
      contention: contentionOf(spans.flat(), aside),
      ms,
    };
  }

  /** One after the other: connections, headers and bodies then reach the service in the same order. */
  private async prepareBuyers(deadline: AbortSignal): Promise<Exchange[]> {
    const { buy, headers, buyers } = this.options;
    const prepared: Exchange[] = [];
    for (let buyer = 0; buyer < buyers; buyer += 1) {
      this.purchases += 1;
      const purchase = { n: this.purchases, id: randomUUID() };
      await Exchange.prepare(this.destinations.buy, buy, headers, deadline, purchase).then(
        (exchange) => prepared.push(exchange),
        () => undefined,
      );
    }
    return prepared;
  }

  private async prepareWitness(deadline: AbortSignal): Promise<Exchange | undefined> {
    const { stock, headers } = this.options;
    // Another server would answer early in any case.
    if (!stock || this.destinations.stock !== this.destinations.buy) return undefined;
    return Exchange.prepare(this.destinations.buy, stock.request, headers, deadline).catch(() => undefined);
  }

  /** A service may answer before its stock shows the sale: the stock is read again until it does, or for a while. */
  private async settledStock(
    before: number | undefined,
    outcomes: readonly PurchaseOutcome[],
  ): Promise<number | undefined> {
    const units = this.options.quantity * outcomes.filter(({ kind }) => kind === 'sold').length;
    const giveUpAt = performance.now() + SETTLES_WITHIN_MS;
    for (;;) {
      const after = await this.stockNow();
      const agrees =
        before === undefined || after === undefined || before - after === units || units > before;
      if (agrees || performance.now() > giveUpAt || this.stop.aborted) return after;
      await sleep(LOOK_EVERY_MS);
    }
  }

  private async stockNow(): Promise<number | undefined> {
    const { stock, headers } = this.options;
    const { stock: destination } = this.destinations;
    if (!stock || !destination) return undefined;
    const { body } = await ask('The stock', destination, stock.request, headers, this.deadline());
    const value = stock.path.in(jsonIn(body));
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    if (Number.isSafeInteger(number)) return number as number;
    throw new LabError(
      `The stock: ${stock.request.url} has no whole number at ${stock.path.text}. It answered: ${excerpt(body)}`,
    );
  }

  /** Each phase of a round has the whole time. */
  private deadline(): AbortSignal {
    const signal = AbortSignal.any([this.stop, AbortSignal.timeout(this.options.timeoutMs)]);
    // Every request of the phase listens.
    setMaxListeners(0, signal);
    return signal;
  }
}

const EXCERPT = 120;

function excerpt(body: string): string {
  return JSON.stringify(body.length > EXCERPT ? `${body.slice(0, EXCERPT)}…` : body);
}

/** Empty when it was not answered. */
async function spanOf({ sentAt, reply }: Exchange): Promise<Span[]> {
  const answer = await reply;
  return sentAt === undefined || 'failed' in answer ? [] : [{ sentAt, answeredAt: answer.at }];
}
