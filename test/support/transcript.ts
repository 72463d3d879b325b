import { type Connection } from 'mysql2/promise';
import { labConnection } from '../../src/lab/servers.js';
import { servers, type TestShop } from './test-shop.js';

interface LogRow {
  readonly thread_id: number;
  readonly command_type: string;
  readonly argument: string;
}

/** Everything the service sent to the database while `work` ran, as the server itself logged it. */
export async function sqlTranscript(shop: TestShop, work: () => Promise<unknown>): Promise<string[]> {
  const connection = await labConnection(servers);
  try {
    await connection.query("SET GLOBAL log_output = 'TABLE'");
    await connection.query('TRUNCATE mysql.general_log');
    await connection.query('SET GLOBAL general_log = ON');
    await work();
    await connection.query('SET GLOBAL general_log = OFF');
    return (await statements(connection)).map((statement) => normalise(statement, shop));
  } finally {
    await connection.query('SET GLOBAL general_log = OFF');
    await connection.end();
  }
}

async function statements(connection: Connection): Promise<string[]> {
  const [rows] = await connection.query(
    `SELECT thread_id, command_type, CONVERT(argument USING utf8mb4) AS argument FROM mysql.general_log
     WHERE user_host LIKE '%lockstock_service%' ORDER BY event_time`,
  );
  return (rows as LogRow[])
    .filter(({ command_type }) => command_type === 'Query')
    .map(({ argument }) => argument);
}

/** What differs from run to run gives way to what it is; line breaks and indents of the source are folded. */
function normalise(statement: string, shop: TestShop): string {
  return statement
    .replace(/\s+/g, ' ')
    .replace(/\( /g, '(')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(shop.database, '<database>')
    .replace(/\brun_id = \d+/g, 'run_id = <run>')
    .replace(/'(SALE|RETURN)', \d+/g, "'$1', <run>")
    .replace(/\bversion = \d+/g, 'version = <version>')
    .replace(/^(INSERT IGNORE INTO idempotent_log .*\(1), \d+/, '$1, <run>')
    .replace(/\bfence (=|<) \d+/g, 'fence $1 <token>')
    .replace(/\blease_seq = \d+/g, 'lease_seq = <lease>')
    .replace(/, 99, 97, \d+, NULL,/, ', 99, 97, <token>, NULL,')
    .replace(/, 99, 97, NULL, \d+,/, ', 99, 97, NULL, <lease>,')
    .replace(/^(INSERT INTO orders .*), \d+\)$/, '$1, <waited ms>)')
    .trim();
}
