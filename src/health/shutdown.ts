import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type FastifyInstance } from 'fastify';

/** The connections of the server, as far as stopping needs them. */
interface Draining {
  announceEnd(server: FastifyInstance): void;
  drain(): Promise<void>;
}

/**
 * Stops the instance in order. Readiness fails first. Then no connection is accepted, and requests on existing connections
 * are served: each answer closes its connection. Everything else stops after that.
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
