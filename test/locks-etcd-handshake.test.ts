import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { TcpProxy } from '../src/lab/tcp-proxy.js';
import { EtcdLock } from '../src/locks/index.js';
import { eventually } from './support/eventually.js';
import { isHere } from './support/optional-servers.js';
import { servers } from './support/test-shop.js';

/** Accepts connections and never answers. */
class SilentServer {
  private readonly open = new Set<Socket>();

  private constructor(private readonly listener: Server) {
    listener.on('connection', (socket) => {
      this.open.add(socket.resume());
      socket.on('error', () => undefined).on('close', () => this.open.delete(socket));
    });
  }

  static async listen(): Promise<SilentServer> {
    const silent = new SilentServer(createServer());
    silent.listener.listen(0, '127.0.0.1');
    await once(silent.listener, 'listening');
    return silent;
  }

  get connections(): number {
    return this.open.size;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.open) socket.destroy();
    this.listener.close();
  }
}

// The connection is closed in the handshake of TLS (https) or of HTTP/2 (http).
test.each(['http', 'https'])(
  '%s: a lock that is closed while its server does not answer leaves no connection',
  async (protocol) => {
    const server = await SilentServer.listen();
    try {
      const lock = new EtcdLock(`${protocol}://localhost:${server.port}`);
      const started = lock.start();
      await eventually('it is connected', () => server.connections === 1);
      await Promise.all([started, lock.close()]);
      await eventually('the connection is closed', () => server.connections === 0, 5000);
    } finally {
      server.close();
    }
  },
);

describe.each(['etcd'].filter(isHere))('%s', () => {
  test('a lock whose first connection gets no answer opens another one', async () => {
    const { etcdLabUrl: url = '' } = servers;
    const { port } = new URL(url);
    const silent = await SilentServer.listen();
    const wire = await TcpProxy.to(silent.port);
    const lock = new EtcdLock(url.replace(`:${port}`, `:${wire.port}`), { prefix: `silent-${process.pid}/` });
    try {
      const started = lock.start();
      await eventually('it is connected to the silent server', () => silent.connections === 1);
      wire.leadTo(Number(port));
      await started;
      await eventually('it is connected to etcd', () => lock.up);
      expect(await lock.using('key', { waitMs: 5000 }, () => Promise.resolve('held'))).toBe('held');
      expect(silent.connections).toBe(0);
    } finally {
      await lock.close();
      await wire.close();
      silent.close();
    }
  });
});
