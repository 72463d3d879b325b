import { type CheckpointName } from '../src/checkpoints/checkpoint.js';
import { buyPatiently } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { HeldBuyers } from './support/held-buyers.js';

/** Moves of the stock between the stores of two strategies. The instance is killed before or after one COMMIT of the move. */
const MOVES: readonly [from: string, to: string, place: CheckpointName, visit: number][] = [
  ['redis-lua', 'sql-atomic', 'beforeCommit', 1],
  ['redis-lua', 'sql-atomic', 'afterCommit', 1],
  ['redis-decr', 'segmented', 'beforeCommit', 1],
  ['sql-atomic', 'redis-lua', 'beforeCommit', 1],
  // Between the transaction that registers the new Redis stock and the one that opens it.
  ['sql-atomic', 'redis-lua', 'afterCommit', 1],
  ['sql-atomic', 'redis-watch', 'beforeCommit', 2],
  ['segmented', 'sql-atomic', 'beforeCommit', 1],
  ['segmented', 'for-update', 'afterCommit', 1],
  ['sql-atomic', 'segmented', 'beforeCommit', 1],
  ['segmented', 'redis-decr', 'beforeCommit', 1],
  ['segmented', 'redis-lua', 'afterCommit', 1],
];
const STOCK = 5;
const OTHER_GOODS = 12;

let buyers: HeldBuyers;
beforeAll(async () => {
  buyers = await HeldBuyers.open({ instances: 2, env: { REDIS_ORDER_TIMEOUT_MS: '500' } });
});
afterAll(() => buyers.close());

test.each(MOVES)(
  'from %s to %s: an instance that is killed at %s %i loses and doubles nothing',
  async (from, to, place, visit) => {
    const { shop } = buyers;
    const goodsId = 1 + MOVES.findIndex((move) => move[0] === from && move[1] === to && move[2] === place);
    const [victimUrl = '', survivor = ''] = shop.shop.instanceUrls;
    // At its first sale by a Redis strategy an instance reserves a block of order numbers, in a transaction of its own.
    await shop.reset(OTHER_GOODS, 1);
    await buyPatiently(shop, { strategy: 'redis-lua', goodsId: OTHER_GOODS, at: victimUrl });
    await shop.reset(goodsId, STOCK);
    for (let bought = 0; bought < 2; bought += 1)
      expect(await buyPatiently(shop, { strategy: from, goodsId, at: survivor })).toMatchObject({
        kind: 'sold',
      });

    const victim = shop.instance(0);
    const { pid } = victim;
    const held = await buyers.hold(place, { strategy: to, goodsId }, { visit });
    victim.signal('SIGKILL');
    const { kind } = await held.outcome;
    expect(['unknown', 'refused']).toContain(kind);

    let sold = 2;
    for (let turn = 0; turn < 2 * STOCK; turn += 1) {
      const strategy = turn % 2 === 0 ? to : from;
      const outcome = await buyPatiently(shop, { strategy, goodsId, at: survivor });
      if (outcome.kind === 'sold') sold += 1;
      else expect([strategy, outcome]).toEqual([strategy, { kind: 'sold-out' }]);
    }
    const audit = await shop.settledAudit(goodsId);
    // The buyer got no answer for an order that the killed instance had committed.
    expect([audit.verdict, audit.remaining, [0, 1].includes(STOCK - sold)]).toEqual(['SAFE', 0, true]);
    await eventually(
      'the killed instance is back',
      () => victim.pid !== undefined && victim.pid !== pid,
      60_000,
    );
  },
  120_000,
);
