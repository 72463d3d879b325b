import { Injectable } from '@nestjs/common';
import { CoordinationLocks } from '../coordination/coordination-locks.js';
import { Database } from '../database/database.js';
import { RedisConnection } from '../redis/redis.module.js';
import { RedlockNodes } from '../redis/redlock-nodes.js';

const FRESH_MS = 500;

export interface EngineStates {
  readonly mysql: boolean;
  readonly redis: boolean;
  /** A majority of the masters that vote. */
  readonly redlock: boolean;
  readonly etcd: boolean;
  readonly zookeeper: boolean;
}

/** Which servers answer. Each is checked at most twice a second. */
@Injectable()
export class Engines {
  private last: { readonly at: number; readonly states: Promise<EngineStates> } | undefined;

  constructor(
    private readonly database: Database,
    readonly redis: RedisConnection,
    readonly redlock: RedlockNodes,
    private readonly coordination: CoordinationLocks,
  ) {}

  /** The same, after each connection was tried once: an instance is ready before it has connected to all servers. */
  async settled(): Promise<EngineStates> {
    await this.coordination.tried();
    return { ...(await this.up()), ...this.coordination.up };
  }

  up(): Promise<EngineStates> {
    const now = performance.now();
    if (!this.last || now - this.last.at > FRESH_MS) this.last = { at: now, states: this.ask() };
    return this.last.states;
  }

  private async ask(): Promise<EngineStates> {
    const [mysql, redis] = await Promise.all([
      answers(this.database.connection((sql) => sql.one('SELECT 1'), { purpose: 'health' })),
      this.redis.up && answers(this.redis.run((client) => client.ping())),
    ]);
    return { mysql, redis, redlock: this.redlock.up, ...this.coordination.up };
  }
}

function answers(question: Promise<unknown>): Promise<boolean> {
  return question.then(
    () => true,
    () => false,
  );
}
