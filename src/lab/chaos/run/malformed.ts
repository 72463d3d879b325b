import { connect } from 'node:net';
import { type ClientAnswer } from '../history.js';

const JSON_HEADERS = 'Host: localhost\r\nContent-Type: application/json';

function post(path: string, body: string, headers = JSON_HEADERS): string {
  return `POST ${path} HTTP/1.1\r\n${headers}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

/** Requests that must change nothing and must not disturb other clients; each is about goods 1. */
export const MALFORMED: Readonly<Record<string, string>> = {
  'not JSON': post('/goods/1/deduct/sql-atomic', '{"quantity":'),
  'quantity 0': post('/goods/1/deduct/sql-atomic', '{"quantity":0}'),
  'negative quantity': post('/goods/1/deduct/for-update', '{"quantity":-1}'),
  'quantity as text': post('/goods/1/deduct/sql-atomic', '{"quantity":"1"}'),
  'unknown field': post('/goods/1/deduct/sql-atomic', '{"quantity":1,"price":0}'),
  'unknown strategy': post('/goods/1/deduct/constructor', '{"quantity":1}'),
  'unknown goods': post('/goods/999999/deduct/sql-atomic', '{"quantity":1}'),
  'short key': post('/goods/1/deduct/sql-atomic', '{"quantity":1}', `${JSON_HEADERS}\r\nIdempotency-Key: x`),
  'empty basket': post('/orders/sql-atomic', '{"items":[]}'),
  'same goods twice': post(
    '/orders/for-update',
    '{"items":[{"goodsId":1,"quantity":1},{"goodsId":1,"quantity":1}]}',
  ),
  'order id as text': post('/orders/first/cancel', '{}'),
  'unknown method': 'FOO /goods HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  'large headers': `GET /goods HTTP/1.1\r\nHost: localhost\r\n${Array.from({ length: 22 }, (_, n) => `X-Filler-${n}: ${'x'.repeat(1000)}\r\n`).join('')}Connection: close\r\n\r\n`,
  'not HTTP': 'hello\r\n\r\n',
  // nginx forwards it; Node cannot parse it.
  'control character': 'GET /goods HTTP/1.1\r\nHost: localhost\r\nX: \u0001\r\nConnection: close\r\n\r\n',
};

const ANSWER_WITHIN_MS = 10_000;

/** Sends the bytes as they are; undefined when the connection ended without a status line. */
export function sendMalformed(url: string, kind: string): Promise<ClientAnswer | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(Number(port), hostname, () => socket.write(MALFORMED[kind] ?? ''));
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.on('data', (bytes) => (said += bytes.toString('latin1')));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      const [, status] = /^HTTP\/1\.\d (\d{3})/.exec(said) ?? [];
      resolve(status === undefined ? undefined : { status: Number(status) });
    });
  });
}
