import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findCommand } from '../bin/programs.js';
import { type Audit } from '../src/contract/audit.js';
import { DataFolder } from '../src/lab/data-folder.js';
import { LAB_ACCOUNT } from '../src/lab/engines/mariadb.js';
import { freePort } from '../src/lab/ports.js';
import { ProcessReaper } from '../src/lab/processes/process-reaper.js';
import { labConnection, Servers } from '../src/lab/servers.js';
import { Shop } from '../src/lab/shop.js';
import { buy, buyPatiently, orderIds, type Outcome } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { TestShop } from './support/test-shop.js';

const dump = findCommand('mariadb-dump', 'mysqldump');
const client = findCommand('mariadb', 'mysql');
const STOCK = 100_000;
/** One goods is sold from MySQL, the other from Redis. */
const SALES = { 1: 'for-update', 2: 'redis-lua' } as const;

/** Runs a program of the database. The password is in its environment, which other users cannot read. */
function program(command: string, port: number, password: string, ...args: string[]) {
  const account = ['--no-defaults', '--host=127.0.0.1', `--port=${port}`, `--user=${LAB_ACCOUNT}`];
  return spawn(command, [...account, ...args], {
    env: { PATH: process.env['PATH'], MYSQL_PWD: password },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

if (!dump || !client) test.todo('not run, because mariadb-dump is not installed');
else
  describe('a backup that was made under load', () => {
    let shop: TestShop;
    let restored: {
      readonly shop: Shop;
      readonly orders: (goodsId: number) => Promise<number[]>;
      readonly close: () => Promise<void>;
    };
    const folder = mkdtempSync(join(tmpdir(), 'lockstock-backup-'));
    /** Orders that were acknowledged, and in the ledger, before the backup began. */
    const before: Record<number, readonly number[]> = {};

    beforeAll(async () => {
      shop = await TestShop.open({ instances: 2 });
      for (const goods of [1, 2]) await shop.reset(goods, STOCK);
      const file = join(folder, 'backup.sql');
      const outcomes = await sellWhile(async (sold) => {
        while (Math.min(...Object.values(sold).map(({ length }) => length)) < 50) await once(process, 'sale');
        for (const goods of [1, 2])
          before[goods] = (await shop.soldOrderIds(goods)).filter((id) =>
            orderIds(sold[goods] ?? []).includes(id),
          );
        const running = program(
          dump,
          shop.servers.databasePort,
          shop.servers.secrets.labPassword,
          '--single-transaction',
          '--no-tablespaces',
          shop.database,
        );
        const ended = once(running, 'exit');
        await pipeline(running.stdout, createWriteStream(file, { mode: 0o600 }));
        expect((await ended)[0]).toBe(0);
      });
      expect(outcomes).toBeGreaterThan(100);
      restored = await restore(file);
    }, 180_000);
    afterAll(async () => {
      await restored.close();
      await shop.close();
      rmSync(folder, { recursive: true });
    });

    /** Buyers of both goods, until the work is done. */
    async function sellWhile(work: (sold: Record<number, Outcome[]>) => Promise<void>): Promise<number> {
      const sold: Record<number, Outcome[]> = { 1: [], 2: [] };
      let over = false;
      const buyers = [1, 2, 1, 2].map(async (goodsId) => {
        while (!over) {
          sold[goodsId]?.push(await buy(shop, { strategy: SALES[goodsId as 1 | 2], goodsId }));
          process.emit('sale' as never);
        }
      });
      try {
        await work(sold);
      } finally {
        over = true;
        await Promise.all(buyers);
      }
      return Object.values(sold).flat().length;
    }

    /** The commands of docs/operations.md: restores the backup on new servers with an empty Redis. */
    async function restore(file: string) {
      const reaper = new ProcessReaper();
      const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-restored-')));
      reaper.addFile(folder.path);
      await folder.occupy({ fresh: false });
      const servers = await Servers.start(folder, reaper, () => undefined);
      const { addresses } = servers;
      const running = program(
        client ?? '',
        addresses.databasePort,
        addresses.secrets.labPassword,
        'lockstock',
      );
      const ended = once(running, 'exit');
      await pipeline(createReadStream(file), running.stdin);
      expect((await ended)[0]).toBe(0);
      const shop = await Shop.plan({
        folder,
        reaper,
        servers: addresses,
        database: 'lockstock',
        instances: 1,
        port: await freePort(),
        report: () => undefined,
      });
      await shop.start();
      const close = async () => {
        await shop.stop();
        await servers.stop();
        await reaper.close();
      };
      const orders = async (goodsId: number) => {
        const connection = await labConnection(addresses, 'lockstock');
        const [rows] = await connection.query(
          'SELECT COALESCE(number, id) AS id FROM orders WHERE goods_id = ?',
          [goodsId],
        );
        await connection.end();
        return (rows as { id: number }[]).map(({ id }) => id);
      };
      return { shop, orders, close };
    }

    const audit = async (goodsId: number) =>
      (await (await fetch(`${restored.shop.url}/goods/${goodsId}/audit`)).json()) as Audit;

    test.each([1, 2])(
      'goods %i: the audit of the backup is correct, and no order is missing',
      async (goodsId) => {
        const found = await audit(goodsId);
        expect(found).toMatchObject({ verdict: 'SAFE', initial: STOCK });
        expect(found.invariants.filter(({ ok }) => !ok)).toEqual([]);
        const kept = new Set(await restored.orders(goodsId));
        expect(before[goodsId]?.length).toBeGreaterThan(0);
        expect(before[goodsId]?.filter((id) => !kept.has(id))).toEqual([]);
        expect(found.sold + found.remaining).toBe(STOCK);
      },
    );

    test('a shop on the restored backup continues where the backup ends, from MySQL and from an empty Redis', async () => {
      for (const goodsId of [1, 2] as const) {
        const { remaining } = await audit(goodsId);
        const at = restored.shop.url;
        expect(await buyPatiently(shop, { strategy: SALES[goodsId], goodsId, at })).toMatchObject({
          kind: 'sold',
        });
        await eventually('the order is in MySQL', async () => (await audit(goodsId)).inFlight === 0);
        expect(await audit(goodsId)).toMatchObject({ verdict: 'SAFE', remaining: remaining - 1 });
      }
    });

    test('the procedures, which are not in the backup, are created again', async () => {
      const purchase = { strategy: 'stored-procedure', at: restored.shop.url };
      expect(await buyPatiently(shop, purchase)).toMatchObject({ kind: 'sold' });
    });
  });
