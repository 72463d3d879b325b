import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectHttp2, createSecureServer } from 'node:http2';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { type ChannelCredentials, Connections } from '../src/locks/etcd/connections.js';

const LIMIT_MS = 200;
const folder = mkdtempSync(join(tmpdir(), 'lockstock-handshake-'));
const file = (name: string) => readFileSync(join(folder, name));
beforeAll(() => {
  const options = '-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout key -out certificate';
  execFileSync('openssl', ['req', ...options.split(' ')], { cwd: folder, stdio: 'pipe' });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Credentials for a certificate that no authority has signed. */
function tlsCredentials(): ChannelCredentials {
  return {
    _createSecureConnector: () => ({
      connect: async (socket) => {
        const tls = connectTls({ socket, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
        await once(tls, 'secureConnect');
        return { socket: tls, secure: true };
      },
    }),
  };
}

test('the time limit of a handshake does not close a TLS connection whose server has answered', async () => {
  const server = createSecureServer({ key: file('key'), cert: file('certificate') }, (_, answer) => {
    answer.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const credentials = tlsCredentials();
  const connections = new Connections(credentials, LIMIT_MS);
  const connector = credentials._createSecureConnector();
  const tcp = connectTcp((server.address() as AddressInfo).port, '127.0.0.1');
  await once(tcp, 'connect');
  const { socket } = await connector.connect(tcp);
  const session = connectHttp2('https://localhost', { createConnection: () => socket });
  await once(session, 'remoteSettings');
  await sleep(LIMIT_MS * 2);
  const request = session.request({ ':path': '/' });
  expect(await request.setEncoding('utf8').toArray()).toEqual(['ok']);
  connections.close();
  await once(session, 'close');
  server.close();
  await once(server, 'close');
});
