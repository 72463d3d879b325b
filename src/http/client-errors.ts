import { type Socket } from 'node:net';
import { statusProblem } from './problem.js';

/** More than the gateway accepts (deploy/nginx.conf.template), so the gateway refuses oversized headers first. */
export const MAX_HEADER_BYTES = 32 * 1024;

/** How long the client may take to read the answer and close. */
const CLOSE_WITHIN_MS = 2000;

const BY_CODE: ReadonlyMap<string, readonly [status: number, detail: string]> = new Map([
  ['HPE_INVALID_METHOD', [405, 'The server does not know the method of this request.']],
  ['HPE_HEADER_OVERFLOW', [431, `The headers of the request are larger than ${MAX_HEADER_BYTES} bytes.`]],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'The request did not arrive in time.']],
]);
const UNREADABLE = [400, 'The request is not valid HTTP.'] as const;

const answered = new WeakSet<Socket>();

/**
 * Answers a request that Node cannot parse. Node's own answer does not announce that it closes the connection, so a
 * proxy reuses the connection and loses another client's request. This answer announces it. The connection is then closed
 * without a reset: after a reset the proxy could lose the answer.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // Every further byte after the bad request is a client error again.
  if (answered.has(socket)) return;
  if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  answered.add(socket);
  const [status, detail] = BY_CODE.get(error.code ?? '') ?? UNREADABLE;
  const problem = statusProblem(status, detail);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${problem.title}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 405 ? ['Allow: GET, HEAD, POST'] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const tooLong = setTimeout(() => socket.destroy(), CLOSE_WITHIN_MS);
  socket
    .once('end', () => socket.destroy())
    .once('close', () => {
      clearTimeout(tooLong);
    });
}

/** The answer to an earlier request of the connection is not complete: more text would become part of it. */
function isAnswering(socket: Socket): boolean {
  return Boolean((socket as { readonly _httpMessage?: unknown })._httpMessage);
}
