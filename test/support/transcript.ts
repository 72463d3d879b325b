import { type Connection } from 'mysql2/promise';
import { labConnection } from '../../src/lab/servers.js';
import { recordRedis, type Sent } from './redis-transcript.js';
import { type TestShop } from './test-shop.js';

/** Everything the service sent to its servers while `work` ran, in the order of time, as they saw it themselves. */
export async function transcript(shop: TestShop, work: () => Promise<unknown>): Promise<string[]> {
  const connection = await labConnection(shop.servers);
  const redis = await recordRedis(shop);
  try {
    await connection.query("SET GLOBAL log_output = 'TABLE'");
    await connection.query('TRUNCATE mysql.general_log');
    await connection.query('SET GLOBAL general_log = ON');
    await work();
    const commands = await redis.end();
    await connection.query('SET GLOBAL general_log = OFF');
    return [...(await statements(connection)), ...commands]
      .sort((a, b) => a.at - b.at)
      .map(({ text }) => normalise(text, shop));
  } finally {
    await connection.query('SET GLOBAL general_log = OFF');
    await connection.end();
  }
}

async function statements(connection: Connection): Promise<Sent[]> {
  const [rows] = await connection.query(
    `SELECT UNIX_TIMESTAMP(event_time) AS at, CONVERT(argument USING utf8mb4) AS argument FROM mysql.general_log
     WHERE user_host LIKE '%lockstock_service%' AND command_type = 'Query' ORDER BY event_time`,
  );
  return (rows as { at: string; argument: string }[]).map(({ at, argument }) => ({
    at: Number(at),
    text: `${argument.trim()};`,
  }));
}

/** Replaces values that differ between runs by their names, and folds line breaks and indents of the source. */
function normalise(statement: string, shop: TestShop): string {
  return statement
    .replace(/\s+/g, ' ')
    .replace(/\( /g, '(')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(shop.database, '<database>')
    .replace(/\b\d{13}-\d+/g, '<entry>')
    .replace(/\b10\d{11}\b/g, '<number>')
    .replace(/\b1[1-9]\d{11}\b/g, '<time>')
    .replace(/\brun(_id =)? \d+/g, 'run$1 <run>')
    .replace(/'(SALE|RETURN|MOVE)', (NULL|<number>), \d+/g, "'$1', $2, <run>")
    .replace(/\bversion = \d+/g, 'version = <version>')
    .replace(/^(INSERT IGNORE INTO idempotent_log .*\(1), \d+/, '$1, <run>')
    .replace(/\bfence (=|<) \d+/g, 'fence $1 <token>')
    .replace(/\blease_seq = \d+/g, 'lease_seq = <lease>')
    .replace(/, 99, 97, NULL, \d+, NULL,/, ', 99, 97, NULL, <token>, NULL,')
    .replace(/, 99, 97, NULL, NULL, \d+, (?=\d+, )/, ', 99, 97, NULL, NULL, <lease>, ')
    .replace(/<uuid>:\d+/g, '<uuid>:<n>')
    .replace(/#token \d+/g, '#token <token>')
    .replace(/^(INSERT INTO orders .*), \d+, NULL\);$/, '$1, <waited ms>, NULL);')
    .replace(/\bwaited \d+/g, 'waited <ms>')
    .replace(/ (instance-\d+ \d+) \d+ (\d+)( '' '')?$/, ' $1 <waited ms> $2$3')
    .trim();
}
