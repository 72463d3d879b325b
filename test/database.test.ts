import { createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { migrate } from '../src/database/migrate.js';
import { dataSourceOptions } from '../src/database/options.js';
import { labConnection, migrationEnvironment } from '../src/lab/servers.js';
import { servers } from './support/test-shop.js';

const database = `lockstock_schema_${process.pid}_${Date.now()}`;
const { DATABASE_URL: serviceUrl = '', MIGRATIONS_URL: ownerUrl = '' } = migrationEnvironment(
  servers,
  database,
);

let applied: string[][];
beforeAll(async () => {
  const connection = await labConnection(servers);
  await connection.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
  await connection.end();
  applied = await Promise.all(Array.from({ length: 6 }, () => migrate(ownerUrl, serviceUrl)));
});

test('six instances that start together migrate once', () => {
  expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
  expect(applied.flat()).toHaveLength(9);
});

test('the entities match the schema that the migrations create', async () => {
  const source = await new DataSource(dataSourceOptions(ownerUrl, 1)).initialize();
  try {
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  } finally {
    await source.destroy();
  }
});

describe('the account of the service', () => {
  const asService = async (sql: string) => {
    const { hostname, port, username, password } = new URL(serviceUrl);
    const connection = await createConnection({
      host: hostname,
      port: Number(port),
      user: username,
      password,
      database,
    });
    try {
      return await connection.query(sql);
    } finally {
      await connection.end();
    }
  };

  test.each([
    'UPDATE orders SET quantity = 0',
    'DELETE FROM orders',
    'TRUNCATE orders',
    'DROP TABLE orders',
    'ALTER TABLE orders ADD x INT',
    'DELETE FROM goods',
    'INSERT INTO goods (name) VALUES (1)',
    'UPDATE runs SET initial = 1000000',
    'UPDATE refusals SET quantity = 100',
    'DELETE FROM refusals',
    'CREATE TABLE x (id INT)',
    'DROP PROCEDURE deduct_stock',
    'CREATE PROCEDURE x() DELETE FROM orders',
    'SELECT * FROM mysql.user',
    'GRANT UPDATE ON orders TO lockstock_service',
  ])('may not %s', async (sql) => {
    await expect(asService(sql)).rejects.toMatchObject({
      errno: expect.any(Number) as number,
      code: expect.stringMatching(/DENIED|NOT_ALLOWED/) as string,
    });
  });

  test('may read the ledger', async () => {
    await expect(asService('SELECT COUNT(*) FROM orders')).resolves.toBeDefined();
  });
});
