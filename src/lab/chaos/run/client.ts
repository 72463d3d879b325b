import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientReceipt, receiptsOf } from '../history.js';
import { type PlanStep } from '../plan/plan.js';
import { sendMalformed } from './malformed.js';
import { type ShopClient } from './shop-client.js';

/** How many of the latest receipts a cancel chooses from: few, so that clients often cancel the same order at once. */
const KEPT_RECEIPTS = 8;
const WRONG_TOKEN = 'not-the-token-of-this-order';

/** The latest receipts of all clients. They stay after a cancel, so that orders are cancelled again. */
export class RecentReceipts {
  private readonly receipts: ClientReceipt[] = [];

  add(receipts: readonly ClientReceipt[]): void {
    this.receipts.push(...receipts);
    this.receipts.splice(0, this.receipts.length - KEPT_RECEIPTS);
  }

  pick(index: number): ClientReceipt | undefined {
    return this.receipts[index % Math.max(1, this.receipts.length)];
  }
}

export interface ClientOptions {
  readonly client: number;
  readonly shop: ShopClient;
  readonly receipts: RecentReceipts;
  /** Makes the keys of the plan different from those of all other rounds. */
  readonly keyPrefix: string;
  readonly stop: AbortSignal;
}

/** One client: its steps one after the other. */
export async function runSteps(
  steps: readonly PlanStep[],
  repetition: number,
  options: ClientOptions,
): Promise<void> {
  for (const step of steps) {
    if (options.stop.aborted) return;
    await runStep(step, repetition, options);
  }
}

async function runStep(step: PlanStep, repetition: number, options: ClientOptions): Promise<void> {
  const { client, shop, receipts, stop } = options;
  const keyOf = (name: string | undefined) =>
    name === undefined ? undefined : `${options.keyPrefix}-${repetition}-${name}`;
  switch (step.do) {
    case 'sell': {
      const { goods, strategy, quantity, key } = step;
      receipts.add(receiptsOf(await shop.sell(client, goods, strategy, quantity, keyOf(key))));
      return;
    }
    case 'twins': {
      const { goods, strategies, quantity, key } = step;
      await Promise.all(
        strategies.map(async (strategy) => {
          receipts.add(receiptsOf(await shop.sell(client, goods, strategy, quantity, keyOf(key))));
        }),
      );
      return;
    }
    case 'basket': {
      const items = step.items.map(({ goods, quantity }) => ({ goodsId: goods, quantity }));
      receipts.add(receiptsOf(await shop.basket(client, step.strategy, items, keyOf(step.key))));
      return;
    }
    case 'cancel':
      return cancel(step, options);
    case 'cancel-unknown':
      await shop.cancel(client, step.orderId);
      return;
    case 'burst':
      await atOnce(step.buyers, async () => {
        receipts.add(receiptsOf(await shop.sell(client, step.goods, step.strategy, step.quantity)));
      });
      return;
    case 'malformed':
      await atOnce(step.times, () =>
        shop.history.record(client, { do: 'malformed', kind: step.kind }, () =>
          sendMalformed(shop.url, step.kind),
        ),
      );
      return;
    case 'reset':
      await shop.reset(client, step.goods, step.stock);
      return;
    case 'read':
      await shop.read(client, step.goods);
      return;
    case 'audit':
      await shop.audit(client, step.goods);
      return;
    case 'list':
      await shop.list(client);
      return;
    case 'strategies':
      await shop.strategies(client);
      return;
    case 'health':
      await shop.health(client);
      return;
    case 'wait':
      await sleep(step.ms, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function cancel(
  { pick, times, forged }: Extract<PlanStep, { do: 'cancel' }>,
  { client, shop, receipts }: ClientOptions,
): Promise<void> {
  const receipt = receipts.pick(pick);
  if (!receipt) return;
  const { orderId, cancelToken } = receipt;
  // A wrong token can be sent only if receipts have tokens.
  const forge = forged && cancelToken !== undefined;
  await atOnce(times, () => shop.cancel(client, orderId, forge ? WRONG_TOKEN : cancelToken, forge));
}

async function atOnce(times: number, work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: times }, work));
}
