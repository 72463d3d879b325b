import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { SERVICE_PROGRAM } from '../src/lab/paths.js';
import { freePort } from '../src/lab/ports.js';
import { serviceEnvironment } from '../src/lab/servers.js';
import { eventually } from './support/eventually.js';
import { parsed, type RawAnswer, sendRaw } from './support/raw-http.js';
import { TestShop } from './support/test-shop.js';

let shop: TestShop;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 1 });
});
afterAll(() => shop.close());

const BODY = '{"quantity":1}';
const SALE = [
  'POST /goods/1/deduct/sql-atomic HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  `Content-Length: ${BODY.length}`,
  'Connection: close',
  '',
  BODY,
].join('\r\n');

/** Opens connections and sends no request on them. */
async function hold(url: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const open = () =>
    new Promise<Socket>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        resolve(socket);
      });
      socket.on('error', () => undefined);
    });
  return Promise.all(Array.from({ length: count }, open));
}

function expectBusy({ status, head, body }: RawAnswer): void {
  expect([status, JSON.parse(body)]).toEqual([503, expect.objectContaining({ type: 'busy', status: 503 })]);
  expect(head).toContain('content-type: application/problem+json');
  expect(head).toMatch(/^retry-after: 1$/m);
}

/** Sends a sale on an open connection. */
function sellOn(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let said = '';
    socket.on('data', (chunk) => (said += String(chunk)));
    socket.on('close', () => {
      if (said === '') reject(new Error('the connection was closed without an answer'));
      else resolve(parsed(said));
    });
    socket.write(SALE);
  });
}

test('a gateway without file descriptors answers 503 with Retry-After, and recovers', async () => {
  await shop.reset(1, 1000);
  const master = shop.shop.nginx.pid ?? 0;
  const workers = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ');
  for (const pid of workers) execFileSync('prlimit', ['--pid', pid, '--nofile=64:4096']);
  const held = await hold(shop.url, 200);
  const answers = await Promise.all(held.map(sellOn));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  refused.forEach(expectBusy);
  expect((await shop.audit(1)).sold).toBe(answers.length - refused.length);
});

test('an instance without file descriptors answers 503 with Retry-After, and recovers', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...serviceEnvironment(shop.servers, shop.database), PORT: String(port), LOG_LEVEL: 'silent' };
  const child = spawn('prlimit', ['--nofile=1024:1024', process.execPath, SERVICE_PROGRAM], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'inherit',
  });
  try {
    await eventually(
      'it is ready',
      () =>
        fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      60_000,
    );
    const held = await hold(url, 940);
    expectBusy(await sendRaw(url, SALE));
    for (const socket of held) socket.destroy();
    await eventually('it sells again', async () => (await sendRaw(url, SALE)).status === 200);
  } finally {
    child.kill('SIGKILL');
  }
});
