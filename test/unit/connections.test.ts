import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { fastify, type FastifyInstance } from 'fastify';
import { Connections } from '../../src/http/connections.js';
import { KeptConnection } from '../support/kept-connection.js';

/**
 * The client of the first test, in a thread of its own: the kernel establishes its connections while the server's event
 * loop is busy, as it does with those of a gateway. It counts the outcomes of the connections on which a request was sent.
 */
const CLIENT = `
const { connect } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const { port, everyMs, forMs } = workerData;
const counted = { answered: 0, refused: 0, lost: 0 };
const open = [];
const timer = setInterval(() => {
  open.push(new Promise((resolve) => {
    let connected = false;
    let said = '';
    const socket = connect(port, '127.0.0.1', () => {
      connected = true;
      socket.write('POST / HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n');
    });
    socket.on('data', (bytes) => (said += bytes)).on('error', () => undefined).on('close', () => {
      counted[said.startsWith('HTTP/1.1 200') ? 'answered' : connected ? 'lost' : 'refused'] += 1;
      resolve();
    });
  }));
}, everyMs);
setTimeout(async () => {
  clearInterval(timer);
  await Promise.all(open);
  parentPort.postMessage(counted);
}, forMs);
`;

interface Counted {
  readonly answered: number;
  readonly refused: number;
  readonly lost: number;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

test('a connection that the kernel has established before the instance stops listening is served', async () => {
  // Each request blocks the event loop, so that other connections wait to be accepted.
  const server = createServer((_, response) => {
    const until = performance.now() + 3;
    while (performance.now() < until);
    response.end();
  });
  const connections = new Connections(server, Infinity);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new Worker(CLIENT, {
    eval: true,
    workerData: { port: portOf(server), everyMs: 2, forMs: 600 },
  });
  let requests = 0;
  const begun = new Promise<void>((resolve) => {
    server.on('request', () => {
      requests += 1;
      if (requests === 20) resolve();
    });
  });
  const counted = once(client, 'message') as Promise<[Counted]>;
  await begun;
  await connections.drain();
  const [{ answered, lost }] = await counted;
  expect({ lost, enough: answered > 20 }).toEqual({ lost: 0, enough: true });
});

describe('an instance that stops', () => {
  let instance: FastifyInstance;
  let connections: Connections;
  let kept: KeptConnection;
  beforeEach(async () => {
    instance = fastify({ keepAliveTimeout: 10_000, forceCloseConnections: false });
    instance.get('/', () => 'served');
    connections = new Connections(instance.server, Infinity);
    connections.announceEnd(instance);
    await instance.listen({ host: '127.0.0.1', port: 0 });
    kept = new KeptConnection(`http://127.0.0.1:${portOf(instance.server)}`);
  });

  test('serves a request on a connection that was idle when it began to stop, and ends the connection with it', async () => {
    await kept.get('/');
    const stopped = connections.drain();
    while (!connections.ending) await sleep(5);
    // The gateway keeps an idle connection for 500 ms, and may use it until then.
    await sleep(500);
    expect(await kept.get('/')).toEqual({ status: 200, closes: true });
    await stopped;
    await instance.close();
  });

  test('lets the gateway keep its connections for as long as it accepts new ones', async () => {
    await kept.get('/');
    const stopped = connections.drain();
    expect(connections.ending).toBe(false);
    // Were it to close here, the gateway would open another connection, which the end of listening may reset.
    expect(await kept.get('/')).toEqual({ status: 200, closes: false });
    while (!connections.ending) await sleep(5);
    expect(instance.server.listening).toBe(false);
    expect(await kept.get('/')).toEqual({ status: 200, closes: true });
    await stopped;
    await instance.close();
  });
});
