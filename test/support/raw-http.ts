import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends bytes that no HTTP client would send, and reads until the server closes the connection. */
export function sendRaw(url: string, text: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'));
    let said = '';
    socket.setTimeout(20_000, () => socket.destroy(new Error(`the server did not close: ${said}`)));
    socket.on('data', (chunk) => (said += chunk.toString('latin1')));
    // A reset connection is an error as well: the answer could have been lost.
    socket.on('error', reject);
    socket.on('end', () => {
      socket.end();
      resolve(parsed(said));
    });
  });
}

export function parsed(said: string): RawAnswer {
  const [head = '', body = ''] = said.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head: head.toLowerCase(), body };
}

/** A request with these headers that asks the server to close afterwards. */
export function request(line: string, host: string, ...headers: string[]): string {
  return [line, `Host: ${host}`, ...headers, 'Connection: close', '', ''].join('\r\n');
}

/** More than 22 KB of headers, in lines that are short enough each. */
export const LARGE_HEADERS = Array.from({ length: 11 }, (_, index) => `X-${index}: ${'x'.repeat(2000)}`);
