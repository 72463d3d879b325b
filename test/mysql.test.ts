import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { migrate } from '../src/database/migrate.js';
import { Mariadb } from '../src/lab/engines/mariadb.js';
import { freePort } from '../src/lab/ports.js';
import { ProcessReaper } from '../src/lab/processes/process-reaper.js';
import { labConnection, migrationEnvironment, type ServerAddresses } from '../src/lab/servers.js';
import { buyPatiently, count, crowd, receipts } from './support/buyers.js';
import { mysqlProgram } from './support/mysql-program.js';
import { servers as shared, TestShop } from './support/test-shop.js';

const STRATEGIES =
  'sql-atomic for-update cas-version named-lock unique-row segmented batch stored-procedure'.split(' ');
const IN_REDIS = ['redis-watch', 'redis-decr', 'redis-lua'];
const program = mysqlProgram();

/** A private MySQL, and the shared Redis. */
async function startMysql(path: string): Promise<{ servers: ServerAddresses; stop: () => Promise<void> }> {
  const reaper = new ProcessReaper();
  const folder = mkdtempSync(join(tmpdir(), 'lockstock-mysql-'));
  reaper.addFile(folder);
  const databasePort = await freePort();
  const { ownerPassword, labPassword } = shared.secrets;
  const mysql = new Mariadb({
    ...{ folder, socketFolder: folder, logFile: join(folder, 'log'), program: path },
    ...{ port: databasePort, ownerPassword, labPassword, reaper },
  });
  const child = await mysql.launch();
  const stop = async () => {
    await child.stop();
    await reaper.close();
  };
  return { servers: { ...shared, scheme: 'mysql', databasePort }, stop };
}

if (program === undefined) test.todo('not run, because no MySQL 8.4 or later is on the PATH');
else
  describe('MySQL instead of MariaDB', () => {
    let servers: ServerAddresses;
    let stop = () => Promise.resolve();
    let shop: TestShop;
    beforeAll(async () => {
      ({ servers, stop } = await startMysql(program));
      shop = await TestShop.open({ instances: 2, servers });
    }, 120_000);
    afterAll(async () => {
      await shop.close();
      await stop();
    });

    test('the schema is migrated again, and a right that an earlier version granted is revoked', async () => {
      const { MIGRATIONS_URL = '', DATABASE_URL = '' } = migrationEnvironment(servers, shop.database);
      const owner = await createConnection(MIGRATIONS_URL);
      const lab = await labConnection(servers);
      try {
        await owner.query("GRANT UPDATE ON refusals TO lockstock_service@'%'");
        expect(await migrate(MIGRATIONS_URL, DATABASE_URL)).toEqual([]);
        const [grants] = await lab.query("SHOW GRANTS FOR lockstock_service@'%'");
        const ofRefusals = (grants as object[])
          .map((row) => String(Object.values(row)[0]))
          .filter((grant) => grant.includes(`\`${shop.database}\`.\`refusals\``));
        expect(ofRefusals).toEqual([expect.stringMatching(/^GRANT SELECT, INSERT ON /)]);
      } finally {
        await Promise.all([owner.end(), lab.end()]);
      }
    });

    test.each([...STRATEGIES, ...IN_REDIS, 'lease-seq', 'idempotent'])(
      '%s sells the stock to more buyers than there are units, and a return can be sold again',
      async (strategy) => {
        await shop.reset(1, 20);
        const outcomes = await crowd(30, () => buyPatiently(shop, { strategy }));
        expect([count(outcomes, 'sold'), count(outcomes, 'sold-out')]).toEqual([20, 10]);
        await shop.settledAudit(1);
        const cancelled = await shop.post(`/orders/${receipts(outcomes)[0]?.orderId ?? 0}/cancel`, {});
        expect(cancelled.status).toBe(200);
        expect(await buyPatiently(shop, { strategy })).toMatchObject({ kind: 'sold' });
        expect(await shop.settledAudit(1)).toMatchObject({ verdict: 'SAFE', sold: 20 });
      },
      60_000,
    );
  });
