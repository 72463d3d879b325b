import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TcpProxy } from '../../src/lab/tcp-proxy.js';
import { eventually } from '../support/eventually.js';

/** An echo server that records what it receives. */
let server: Server;
let heard = '';
let proxy: TcpProxy;
let client: Socket;
let answered = '';

beforeEach(async () => {
  heard = answered = '';
  server = createServer((socket) => {
    socket
      .on('data', (bytes) => {
        heard += bytes.toString();
        socket.write(bytes);
      })
      .on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await TcpProxy.to((server.address() as AddressInfo).port);
  client = connect(proxy.port, '127.0.0.1').on('data', (bytes) => (answered += bytes.toString()));
  await once(client, 'connect');
  await say('hello ');
});

afterEach(async () => {
  client.destroy();
  await proxy.close();
  server.close();
});

/** Says something, and waits until it is there and back. */
async function say(text: string): Promise<void> {
  const whole = answered + text;
  client.write(text);
  await eventually(`an answer to ${text}`, () => answered === whole);
}

test('forwarded data is not counted', () => {
  expect(proxy.intercepted).toBe(0);
  expect(proxy.connections).toBe(1);
});

test('held data is counted, waits, and arrives in order', async () => {
  proxy.set({ requests: 'hold' });
  client.write('one ');
  await eventually('the first is held', () => proxy.intercepted === 1);
  client.write('two ');
  await eventually('the second is held', () => proxy.intercepted === 2);
  expect(heard).toBe('hello ');
  proxy.set({ requests: 'pass' });
  await eventually('both arrive', () => answered === 'hello one two ');
});

test('dropped data never arrives, and the other direction continues', async () => {
  proxy.set({ answers: 'drop' });
  client.write('lost ');
  await eventually('the request arrives, its answer is dropped', () => proxy.intercepted > 0);
  expect(heard).toBe('hello lost ');
  proxy.set({ answers: 'pass' });
  await say('found ');
  expect(answered).toBe('hello found ');
});

test('delayed data does not arrive earlier, and no later data overtakes it', async () => {
  const delayMs = 150;
  proxy.set({ answers: { delayMs } });
  const asked = performance.now();
  client.write('late ');
  await eventually('the answer is on its way', () => proxy.intercepted > 0);
  proxy.set({ answers: 'pass' });
  client.write('soon ');
  await eventually('both answers, in their order', () => answered === 'hello late soon ');
  expect(performance.now() - asked).toBeGreaterThanOrEqual(delayMs - 1);
  await proxy.quiet();
  await say('at once ');
});

test('only pieces that contain a text are meant, where one is given', async () => {
  proxy.set({ requests: 'drop', containing: 'secret' });
  await say('open ');
  client.write('a secret ');
  await eventually('the secret is dropped', () => proxy.intercepted === 1);
  await say('word ');
  expect(heard).toBe('hello open word ');
});

test('a reset is an error for the client, and the connection to the server is closed', async () => {
  const broken = once(client, 'error');
  proxy.reset();
  await expect(broken).resolves.toEqual([expect.objectContaining({ code: 'ECONNRESET' })]);
  await eventually('no connection is left', () => proxy.connections === 0);
});

test('data in flight when the connection breaks is lost, and no other connection is affected', async () => {
  proxy.set({ answers: { delayMs: 50 } });
  client.write('too late ');
  await eventually('the answer is on its way', () => proxy.intercepted > 0);
  client.destroy();
  await proxy.quiet();
  expect(answered).toBe('hello ');
});
