import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type FastifyInstance } from 'fastify';
import { type Connections } from '../http/connections.js';

/**
 * Knows that the instance is stopping. Readiness fails first; then no connection is accepted, and requests on the
 * connections that exist are served: each answer closes its connection. This comes before everything else that stops.
 */
@Injectable()
export class Shutdown implements OnModuleDestroy {
  begun = false;
  private connections: Connections | undefined;

  async onModuleDestroy(): Promise<void> {
    this.begun = true;
    await this.connections?.drain();
  }

  watch(server: FastifyInstance, connections: Connections): void {
    this.connections = connections;
    connections.announceEnd(server);
  }
}
