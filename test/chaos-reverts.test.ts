import { generate } from '../src/lab/chaos/plan/generate.js';
import { judge } from '../src/lab/chaos/judge/judge.js';
import { type Violation } from '../src/lab/chaos/judge/violation.js';
import { playRound } from '../src/lab/chaos/run/round.js';
import { type StrategyListing } from '../src/contract/strategy.js';
import { ejectInstances } from './chaos-reverts/ejecting-gateway.js';
import { RevertedBuild } from './chaos-reverts/reverted-build.js';
import { type Revert } from './chaos-reverts/revert.js';
import { REVERTS } from './chaos-reverts/reverts.js';
import { TestShop } from './support/test-shop.js';

/** The servers are real, so a race may not happen in every round. */
const ROUNDS = 6;
const CLIENTS = 12;
/** An instance is out of service for ten seconds. */
const EJECTED_MS = 30_000;

/** Plays rounds until one breaks the wanted promise. Resolves with the violations of all its rounds. */
async function search(shop: TestShop, revert: Revert): Promise<Violation[]> {
  const { mode, goods = 2, faults = [], without = [], disabled = [], clients = CLIENTS } = revert;
  const listed = await shop.get<StrategyListing[]>('/strategies');
  const strategies = listed.filter(({ name }) => !disabled.includes(name));
  const menu = {
    strategies: strategies.filter(({ name }) => revert.strategies.includes(name)),
    ...{ mode, goods, faults, without, clients, disabled },
  };
  const system = {
    shop: shop.shop,
    servers: shop.servers,
    database: shop.database,
    drainMs: revert.ejects ? EJECTED_MS : 2000,
  };
  const found: Violation[] = [];
  const plan = generate(revert.seed, menu);
  for (let round = 0; round < ROUNDS; round += 1) {
    const evidence = await playRound(plan, system, strategies, new AbortController().signal);
    const { violations } = judge(evidence);
    found.push(...violations);
    if (violations.some((violation) => isWanted(violation, revert))) return found;
  }
  return found;
}

function isWanted({ promise, sentence }: Violation, { finds }: Revert): boolean {
  return promise === finds.promise && finds.sentence.test(sentence);
}

describe('without one fix, the checker finds a broken promise', () => {
  test.each(REVERTS.map((revert) => [revert.name, revert] as const))(
    '%s',
    async (_, revert) => {
      const build = RevertedBuild.make(revert.edits);
      try {
        const shop = await TestShop.open({
          instances: revert.instances ?? 1,
          roots: [build.root],
          env: { LOG_LEVEL: 'error', REDIS_ORDER_TIMEOUT_MS: '500', ...revert.env },
        });
        try {
          if (revert.ejects) await ejectInstances(shop);
          const found = await search(shop, revert);
          expect(found.map(({ promise, sentence }) => `${promise}: ${sentence}`)).toContainEqual(
            expect.stringMatching(new RegExp(`^${revert.finds.promise}: .*${revert.finds.sentence.source}`)),
          );
        } finally {
          await shop.close();
        }
      } finally {
        build.remove();
      }
    },
    120_000,
  );
});
