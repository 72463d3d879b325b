import { type Connection } from 'mysql2/promise';
import { labConnection } from '../src/lab/servers.js';
import { eventually } from './support/eventually.js';
import { HeldBuyers } from './support/held-buyers.js';
import { servers } from './support/test-shop.js';

let buyers: HeldBuyers;
let mysql: Connection;
beforeAll(async () => {
  buyers = await HeldBuyers.open({ instances: 1, env: { LOCK_WAIT_MS: '20000' } });
  mysql = await labConnection(servers, buyers.shop.database);
});
afterAll(async () => {
  await mysql.end();
  await buyers.close();
});
beforeEach(() => buyers.shop.reset(1, 10));

async function commitThatWaits(): Promise<number | undefined> {
  const [rows] = await mysql.query(
    "SELECT id FROM information_schema.processlist WHERE db = ? AND info = 'COMMIT'",
    [buyers.shop.database],
  );
  return (rows as { id: number }[])[0]?.id;
}

test.each(['sql-atomic', 'named-lock', 'redis-decr', 'batch'])(
  'an interrupted COMMIT has an unknown outcome: %s',
  async (strategy) => {
    const buyer = await buyers.hold('beforeCommit', { strategy });
    // A COMMIT waits while another session has locked all tables; KILL QUERY then ends it with error 1317.
    await mysql.query('FLUSH TABLES WITH READ LOCK');
    const outcome = buyer.release();
    let id: number | undefined;
    await eventually('COMMIT waits', async () => (id = await commitThatWaits()) !== undefined);
    await mysql.query(`KILL QUERY ${id ?? 0}`);
    // Not before the service has its answer: without the lock the COMMIT could succeed.
    await eventually('COMMIT has ended', async () => (await commitThatWaits()) === undefined);
    await mysql.query('UNLOCK TABLES');
    expect(await outcome).toEqual({ kind: 'unknown', why: 'outcome-unknown' });
    // The connection may still have been inside the transaction. It was closed, so the row is free again.
    const next = await buyers.hold('beforeCommit', { strategy: 'for-update' });
    expect(await next.release()).toMatchObject({ kind: 'sold' });
  },
);

test.each(['sql-atomic', 'stored-procedure', 'batch'])(
  'a COMMIT that a read-only server refuses is 503, and nothing is sold: %s',
  async (strategy) => {
    const buyer = await buyers.hold('beforeCommit', { strategy });
    await mysql.query('SET GLOBAL read_only = ON');
    try {
      expect(await buyer.release()).toEqual({ kind: 'refused', status: 503, type: 'engine-unavailable' });
      expect(await buyers.shop.soldOrderIds(1)).toEqual([]);
    } finally {
      await mysql.query('SET GLOBAL read_only = OFF');
    }
  },
);
