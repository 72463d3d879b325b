import { setTimeout as sleep } from 'node:timers/promises';
import { History } from '../history.js';
import { type Plan } from '../plan/plan.js';
import { ShopClient } from './shop-client.js';
import { type ChaosSystem } from './system.js';

const SELLS_WITHIN_MS = 30_000;
const TRY_EVERY_MS = 200;

/** The strategies of the plan that do not sell, long after all servers are running again. */
export async function notSelling(plan: Plan, system: ChaosSystem): Promise<string[]> {
  const shop = new ShopClient(system.shop.url, system.shop.adminToken, new History());
  const silent: string[] = [];
  try {
    for (const { id, strategies } of plan.goods)
      for (const strategy of strategies) if (!(await sellsOne(shop, id, strategy))) silent.push(strategy);
  } finally {
    await shop.close();
  }
  return silent;
}

async function sellsOne(shop: ShopClient, goodsId: number, strategy: string): Promise<boolean> {
  const giveUpAt = performance.now() + SELLS_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    await shop.reset(0, goodsId, 1);
    const { answer } = await shop.sell(0, goodsId, strategy, 1);
    if (answer?.status === 200) return true;
    await sleep(TRY_EVERY_MS);
  }
  return false;
}
