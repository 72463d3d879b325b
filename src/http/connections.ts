import { readFileSync } from 'node:fs';
import { type Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises';
import { type FastifyInstance } from 'fastify';

/** Longer than the gateway keeps an idle connection (keepalive_timeout in deploy/nginx.conf.template). */
const IDLE_MS = 1000;
const LOOK_EVERY_MS = 50;
/** Listening ends after this time without a new connection, if the event loop was not delayed for longer than QUICK_MS. */
const QUIET_MS = 50;
const QUICK_MS = 2;
const ACCEPT_WITHIN_MS = 2000;
/** Less than the 10 s after which Docker and the lab kill a process that got SIGTERM. */
const DRAIN_WITHIN_MS = 8000;

/** File descriptors that are kept free for files, for connections to the servers, and for clients that get a refusal. */
const OTHER_FILES = 100;
const FEWEST = 16;

interface Connection {
  /** Requests that are not answered yet. */
  running: number;
  idleSince: number;
}

/** The connections of an instance: how many there are, and since when each is idle. */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  private readonly surplus = new WeakSet<Socket>();
  private acceptedAt = 0;
  /** No connection is accepted any more. */
  ending = false;

  /** Connections above `limit` are surplus: their requests are refused. */
  constructor(
    private readonly server: Server,
    limit: number,
  ) {
    // The rest of the file descriptors is for the servers that the instance needs.
    if (Number.isFinite(limit)) server.maxConnections = limit + OTHER_FILES / 2;
    server.on('connection', (socket: Socket) => {
      this.acceptedAt = performance.now();
      this.open.set(socket, { running: 0, idleSince: this.acceptedAt });
      if (this.open.size > limit) this.surplus.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      const connection = this.open.get(socket);
      if (!connection) return;
      connection.running += 1;
      response.once('close', () => {
        connection.running -= 1;
        connection.idleSince = performance.now();
      });
    });
  }

  /** Closes connections with their next answer, once no new one is accepted. Earlier, the gateway would open new ones. */
  announceEnd(server: FastifyInstance): void {
    server.addHook('onSend', (_request, reply, _payload, done) => {
      if (this.ending) void reply.header('connection', 'close');
      done();
    });
  }

  isSurplus(socket: Socket): boolean {
    return this.surplus.has(socket);
  }

  /**
   * Accepts no further connection and waits until all are closed. The gateway may be about to send a POST on an idle
   * connection, which fails with 502 if the instance closes it at that moment. So idle connections stay open until the
   * gateway has closed them; see docs/adr/0022.
   */
  async drain(): Promise<void> {
    if (!this.server.listening) return;
    await this.allAccepted();
    // Not http.Server.close, which closes idle connections at once.
    NetServer.prototype.close.call(this.server);
    this.ending = true;
    const giveUpAt = performance.now() + DRAIN_WITHIN_MS;
    while (this.open.size > 0 && performance.now() < giveUpAt) {
      await sleep(LOOK_EVERY_MS);
      // A request that has arrived must be read before its connection is judged idle.
      await afterReading();
      this.closeIdle(performance.now() - IDLE_MS);
    }
    this.server.closeAllConnections();
  }

  /**
   * When listening ends, the kernel resets connections that the process has not accepted yet. The gateway may have sent a
   * request on such a connection. So listening ends at a moment without new connections.
   */
  private async allAccepted(): Promise<void> {
    const giveUpAt = performance.now() + ACCEPT_WITHIN_MS;
    while (performance.now() < giveUpAt) {
      await sleep(LOOK_EVERY_MS / 10);
      const before = performance.now();
      // Every waiting connection is accepted here. If that took long, new ones may be waiting.
      await afterReading();
      const now = performance.now();
      if (now - before < QUICK_MS && now - this.acceptedAt > QUIET_MS) return;
    }
  }

  private closeIdle(since: number): void {
    for (const [socket, { running, idleSince }] of this.open) {
      if (running === 0 && idleSince < since) socket.destroy();
    }
  }
}

/** How many clients may be connected so that the process does not run out of file descriptors. */
export function connectionLimit(databasePool: number): number {
  return Math.max(FEWEST, openFileLimit() - databasePool - OTHER_FILES);
}

/** Node has no call for this limit. On systems other than Linux it is taken as infinite. */
function openFileLimit(): number {
  try {
    return Number(
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity,
    );
  } catch {
    return Infinity;
  }
}
