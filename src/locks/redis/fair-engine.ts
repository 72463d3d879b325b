import {
  type Attempt,
  type ExclusiveEngine,
  type Freed,
  type Listener,
  type Places,
} from '../exclusive/engine.js';
import { type RedisClient } from './connect.js';
import { LockQueue, type QueueOptions } from './lock-queue.js';

/** The queue of writers in Redis, with one place per process and key. */
export class FairEngine implements ExclusiveEngine {
  readonly commandTimeoutMs: number;
  readonly watchdogMs: number;
  readonly places: Places;
  private readonly queue: LockQueue;

  constructor(client: RedisClient, options: QueueOptions) {
    const queue = new LockQueue(client, options);
    this.queue = queue;
    this.commandTimeoutMs = queue.commandTimeoutMs;
    this.watchdogMs = queue.watchdogMs;
    this.places = { newOwner: () => queue.newMember('writer'), heartbeatMs: queue.heartbeatMs };
  }

  attempt(key: string, owner: string, leaseMs: number, tokens: number, waits: boolean): Promise<Attempt> {
    return this.queue.enter(key, owner, leaseMs, waits, tokens);
  }

  renew(key: string, owner: string, leaseMs: number): Promise<boolean> {
    return this.queue.renew(key, owner, leaseMs);
  }

  /** The queue decides who is next, so it does not matter how many processes received a message. */
  async free(key: string, owner: string): Promise<Freed> {
    return { held: await this.queue.leave(key, owner), heard: 0 };
  }

  listen(_key: string, owner: string): Listener {
    return this.queue.listen(owner);
  }

  isListening(): boolean {
    return false;
  }

  close(): void {
    this.queue.close();
  }
}
