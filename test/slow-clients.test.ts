import { connect, type Socket } from 'node:net';
import { buy, count, type Outcome } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { parsed } from './support/raw-http.js';
import { TestShop } from './support/test-shop.js';

/** The connections that one client may have; the attacker opens three times as many. */
const CONNECTIONS = 100;
/** Differs from the address of the buyers, so nginx counts it as another client. */
const ATTACKER = '127.0.0.2';
const HEAD = [
  'POST /goods/1/deduct/sql-atomic HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
];
const BODY_BEGUN = [...HEAD, 'Content-Length: 14000', '', '{'].join('\r\n');
const HEAD_BEGUN = [...HEAD, ''].join('\r\n');

let shop: TestShop;
beforeAll(async () => {
  const rateLimit = { perSecond: 1000, burst: 2000, connections: CONNECTIONS };
  shop = await TestShop.open({ instances: 2, rateLimit });
});
afterAll(() => shop.close());

interface SlowClient {
  readonly socket: Socket;
  said: string;
  closed: boolean;
}

/** Sends only the beginning of a request. */
function begin(text: string): SlowClient {
  const { hostname, port } = new URL(shop.url);
  const socket = connect({ port: Number(port), host: hostname, localAddress: ATTACKER }, () =>
    socket.write(text),
  );
  const client: SlowClient = { socket, said: '', closed: false };
  socket.on('data', (chunk) => (client.said += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (client.closed = true));
  return client;
}

test('a client that never completes its bodies cannot take every connection of the gateway', async () => {
  await shop.reset(1, 1000);
  const slow = Array.from({ length: 3 * CONNECTIONS }, () => begin(BODY_BEGUN));
  try {
    const refused = () => slow.filter(({ said }) => said !== '');
    await eventually('the surplus is refused', () => refused().length === 2 * CONNECTIONS);
    for (const { said } of refused()) {
      const { status, body } = parsed(said);
      expect([status, JSON.parse(body)]).toEqual([
        429,
        expect.objectContaining({ type: 'too-many-requests', status: 429 }),
      ]);
    }
    const outcomes: Outcome[] = await Promise.all(
      Array.from({ length: 50 }, () => buy(shop, { strategy: 'sql-atomic', goodsId: 1 })),
    );
    expect(count(outcomes, 'sold')).toBe(50);
  } finally {
    for (const { socket } of slow) socket.destroy();
  }
});

test.each([
  ['headers', HEAD_BEGUN, 'X-Filler: x\r\n'],
  ['body', BODY_BEGUN, ''],
])(
  'a request whose %s does not arrive loses its connection within seconds',
  async (_, text, more) => {
    const client = begin(text);
    // Headers that arrive slowly do not extend the time limit.
    const trickle = setInterval(() => more !== '' && client.socket.write(more), 500);
    try {
      await eventually('the gateway has closed the connection', () => client.closed, 15_000);
    } finally {
      clearInterval(trickle);
      client.socket.destroy();
    }
  },
  30_000,
);
