import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Audit } from '../../../contract/audit.js';
import { LabError } from '../../errors.js';
import { labConnection } from '../../servers.js';
import { until } from '../../until.js';
import { type ChaosEvidence, type FaultRecord, type FinalState, type StrategyPromises } from '../evidence.js';
import { History } from '../history.js';
import { type Plan } from '../plan/plan.js';
import { RecentReceipts, runSteps } from './client.js';
import { injectFaults } from './faults.js';
import { LedgerReader } from './ledger.js';
import { notSelling } from './probe.js';
import { ShopClient } from './shop-client.js';
import { type ChaosSystem } from './system.js';

/** The number of the client that resets the goods before the round. */
const SET_UP = 0;
const DRAIN_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 100;
/** Requests whose clients hung up may still run: the ledger must not change for this time. */
const STILL_MS = 600;

/** Executes the plan on the system, waits until nothing is in flight, and collects the evidence. */
export async function playRound(
  plan: Plan,
  system: ChaosSystem,
  strategies: readonly StrategyPromises[],
  stop: AbortSignal,
): Promise<ChaosEvidence> {
  const shop = new ShopClient(system.shop.url, system.shop.adminToken, new History());
  try {
    await allServe(system);
    const firstRunId = await setUp(plan, shop);
    const faults = await play(plan, shop, system, stop);
    await allServe(system);
    const evidence = await gather(plan, shop, system, { firstRunId, faults, strategies });
    // The probe starts new runs, so the evidence of the current ones is read before.
    return { ...evidence, silent: faults.length > 0 && !stop.aborted ? await notSelling(plan, system) : [] };
  } finally {
    await shop.close();
  }
}

/** Starts a new run of every goods; resolves with the id of the first one. */
async function setUp({ goods }: Plan, shop: ShopClient): Promise<number> {
  const runs: number[] = [];
  for (const { id, stock } of goods)
    runs.push(await until(`goods ${id} is reset`, () => newRun(shop, id, stock)));
  return Math.min(...runs);
}

async function newRun(shop: ShopClient, goodsId: number, stock: number): Promise<number | undefined> {
  const { answer } = await shop.reset(SET_UP, goodsId, stock);
  return answer?.status === 200 ? (answer.body as { runId: number }).runId : undefined;
}

async function play(
  plan: Plan,
  shop: ShopClient,
  system: ChaosSystem,
  stop: AbortSignal,
): Promise<FaultRecord[]> {
  const receipts = new RecentReceipts();
  const keyPrefix = `k${Date.now().toString(36)}`;
  const began = performance.now();
  let faultsOver = false;
  const timeIsOver = () => stop.aborted || (faultsOver && performance.now() - began >= plan.lastsMs);
  const clients = plan.clients.map(async (steps, index) => {
    const options = { client: index + 1, shop, receipts, keyPrefix, stop };
    for (let repetition = 0; repetition === 0 || !timeIsOver(); repetition += 1) {
      await runSteps(steps, repetition, options);
      if (steps.length === 0) return;
    }
  });
  const faults = await injectFaults(plan.faults, system, () => shop.history.now, stop);
  faultsOver = true;
  await Promise.all(clients);
  return faults;
}

interface Gathering {
  readonly firstRunId: number;
  readonly faults: readonly FaultRecord[];
  readonly strategies: readonly StrategyPromises[];
}

async function gather(
  { goods }: Plan,
  shop: ShopClient,
  system: ChaosSystem,
  { firstRunId, faults, strategies }: Gathering,
): Promise<Omit<ChaosEvidence, 'silent'>> {
  const connection = await labConnection(system.servers, system.database);
  try {
    const reader = new LedgerReader(connection);
    const ids = goods.map(({ id }) => id);
    const calls = [...shop.history.calls];
    const someGaveUp = calls.some(({ answer }) => !answer || answer.status >= 500);
    const finals: FinalState[] = [];
    for (const id of ids) {
      const giveUpAt = performance.now() + (system.drainMs ?? DRAIN_WITHIN_MS);
      finals.push(await drained(shop, reader, id, someGaveUp, giveUpAt));
    }
    const runs = await reader.runs(ids, firstRunId);
    return { calls, ledger: await reader.lines(runs), runs, finals, faults, strategies };
  } finally {
    await connection.end();
  }
}

/** The stock of a goods once nothing is in flight. The judge reports orders that are still in flight after the time limit. */
async function drained(
  shop: ShopClient,
  reader: LedgerReader,
  goodsId: number,
  someGaveUp: boolean,
  giveUpAt: number,
): Promise<FinalState> {
  for (let before: FinalState | undefined; ;) {
    const { answer } = await shop.audit(SET_UP, goodsId);
    if (answer?.status === 200) {
      // Only these fields: the wording of an audit may differ between instances of two versions.
      const { verdict, runId, redisRemaining, inFlight, invariants } = answer.body as Audit;
      const audit = { verdict, runId, redisRemaining, inFlight };
      const state = { ...(await reader.stock(goodsId)), audit };
      const still = !someGaveUp || isDeepStrictEqual(state, before);
      if ((inFlight === 0 && still) || performance.now() > giveUpAt)
        return { ...state, audit: { ...audit, invariants } };
      before = state;
    } else if (performance.now() > giveUpAt) {
      throw new LabError(`The audit of goods ${goodsId} was not answered after the round.`);
    }
    await sleep(someGaveUp ? STILL_MS : LOOK_EVERY_MS);
  }
}

/** Every instance must serve again after the faults. */
async function allServe({ shop }: ChaosSystem): Promise<void> {
  for (const url of shop.instanceUrls) {
    await until(`${url} serves`, async () => (await fetch(`${url}/health/ready`)).ok, 60_000);
  }
}
