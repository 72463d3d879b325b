import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type FastifyInstance } from 'fastify';

/** The connections of the server, as far as stopping needs them. */
interface Draining {
  announceEnd(server: FastifyInstance): void;
  drain(): Promise<void>;
}

/**
 * Knows that the instance is stopping. Readiness fails first; then no connection is accepted, and requests on the
 * connections that exist are served: each answer closes its connection. This comes before everything else that stops.
 */
@Injectable()
export class Shutdown implements OnModuleDestroy {
  begun = false;
  private connections: Draining | undefined;

  async onModuleDestroy(): Promise<void> {
    this.begun = true;
    await this.connections?.drain();
  }

  watch(server: FastifyInstance, connections: Draining): void {
    this.connections = connections;
    connections.announceEnd(server);
  }
}
