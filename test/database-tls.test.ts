import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { readSettings } from '../src/config/settings.js';
import { migrate } from '../src/database/migrate.js';
import { dataSourceOptions } from '../src/database/options.js';
import { LAB_ACCOUNT, Mariadb, OWNER } from '../src/lab/engines/mariadb.js';
import { freePort } from '../src/lab/ports.js';
import { type Child } from '../src/lab/processes/child.js';
import { ProcessReaper } from '../src/lab/processes/process-reaper.js';

const PASSWORD = 'secret';
const reaper = new ProcessReaper();
const folder = mkdtempSync(join(tmpdir(), 'lockstock-tls-'));
reaper.addFile(folder);
const file = (name: string) => join(folder, name);
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });

/** A certificate authority, and a certificate that it has issued for a host. */
function authority(name: string): void {
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.pem`,
  );
}
function certificate(name: string, host: string, issuer: string): void {
  openssl(
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    `/CN=${host}`,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
  );
  writeFileSync(file('names'), `subjectAltName=DNS:${host}`);
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    '-CA',
    `${issuer}.pem`,
    '-CAkey',
    `${issuer}.key`,
    '-CAcreateserial',
    '-days',
    '1',
    '-extfile',
    'names',
    '-out',
    `${name}.pem`,
  );
}

let server: Child;
let port: number;
beforeAll(async () => {
  authority('ours');
  authority('theirs');
  certificate('server', 'localhost', 'ours');
  port = await freePort();
  const mariadb = new Mariadb({
    folder: file('mariadb'),
    socketFolder: mkdtempSync(join(folder, 's')),
    logFile: file('mariadb.log'),
    port,
    ownerPassword: PASSWORD,
    labPassword: PASSWORD,
    settings: [`--ssl-cert=${file('server.pem')}`, `--ssl-key=${file('server.key')}`],
    reaper,
  });
  server = await mariadb.launch();
});
afterAll(async () => {
  await server.stop();
  await reaper.close();
});

function url(user: string, query: string, host = 'localhost'): string {
  return `mariadb://${user}:${PASSWORD}@${host}:${port}/lockstock${query}`;
}

/** The cipher of a connection; empty when it has none. */
async function cipherOf(at: string): Promise<string> {
  const source = await new DataSource(dataSourceOptions(at, 1)).initialize();
  try {
    const [row] = await source.query<{ Value: string }[]>("SHOW SESSION STATUS LIKE 'Ssl_cipher'");
    return row?.Value ?? '';
  } finally {
    await source.destroy();
  }
}

const trusting = (ca: string, mode = 'VERIFY_IDENTITY') =>
  `?ssl-mode=${mode}&ssl-ca=${encodeURIComponent(file(`${ca}.pem`))}`;

test('the migration and the service work over TLS, with an account that requires it', async () => {
  const service = url('lockstock_service', trusting('ours'));
  expect(await migrate(url(OWNER, trusting('ours')), service)).not.toEqual([]);
  const lab = await new DataSource(dataSourceOptions(url(LAB_ACCOUNT, trusting('ours')), 1)).initialize();
  await lab.query("ALTER USER lockstock_service@'%' REQUIRE SSL");
  await lab.destroy();
  expect(await cipherOf(service)).toMatch(/^(TLS|ECDHE)/);
  await expect(cipherOf(url('lockstock_service', ''))).rejects.toThrow('Access denied');
});

test('without the setting the connection is not encrypted', async () => {
  expect(await cipherOf(url(OWNER, ''))).toBe('');
});

test('a server with a certificate of another authority is refused', async () => {
  await expect(cipherOf(url(OWNER, trusting('theirs')))).rejects.toThrow(/certificate/i);
  await expect(cipherOf(url(OWNER, trusting('theirs', 'VERIFY_CA')))).rejects.toThrow(/certificate/i);
  // No authority that Node trusts has signed it.
  await expect(cipherOf(url(OWNER, '?ssl-mode=VERIFY_IDENTITY'))).rejects.toThrow(/certificate/i);
});

test('VERIFY_CA accepts a certificate of the same authority for another host', async () => {
  expect(await cipherOf(url(OWNER, trusting('ours', 'VERIFY_CA'), '127.0.0.1'))).not.toBe('');
});

test.each([
  ['?ssl=true', 'no setting "ssl"'],
  ['?ssl-mode=REQUIRED', 'an ssl-mode of DISABLED, VERIFY_CA, VERIFY_IDENTITY'],
  ['?ssl-mode=DISABLED&ssl-ca=/x', 'must not have an ssl-ca with ssl-mode=DISABLED'],
  ['?ssl-ca=/does/not/exist', 'an ssl-ca that can be read'],
])('DATABASE_URL with %s is refused', (query, why) => {
  const read = () => readSettings({ DATABASE_URL: url('user', query) });
  expect(read).toThrow(why);
  expect(read).not.toThrow(PASSWORD);
});

test('an address cannot be the identity of a server', () => {
  const read = () => readSettings({ DATABASE_URL: url('user', trusting('ours'), '127.0.0.1') });
  expect(read).toThrow('must name the host');
});
