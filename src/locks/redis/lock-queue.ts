import { randomUUID } from 'node:crypto';
import { checkDurations } from '../arguments.js';
import { type Attempt, type Listener } from '../exclusive/engine.js';
import { commandTimeoutOf, type RedisClient } from './connect.js';
import { DEFAULT_PREFIX, DEFAULT_WATCHDOG_MS, redisKey, type RedisLockOptions } from './exclusive-engine.js';
import { Replication } from './replicas.js';
import { Script } from './script.js';
import { Wakeups } from './wakeups.js';

export interface QueueOptions extends RedisLockOptions {
  /**
   * A waiter sends a heartbeat every third of this time, and counts as dead after this time without one. So a dead waiter
   * delays the waiters behind it by this time; a waiter that was paused for longer goes to the end of the queue.
   */
  readonly heartbeatMs?: number;
}

/** Writers hold alone, readers hold together. */
export type Role = 'writer' | 'reader';

function script<Answer>(name: string): Script<Answer> {
  return new Script(new URL('queue.lua', import.meta.url), new URL(`queue-${name}.lua`, import.meta.url));
}

const ENTER = script<[entered: 0 | 1, value: number]>('enter');
const RENEW = script<0 | 1>('renew');
const LEAVE = script<0 | 1>('leave');
const DOWNGRADE = script<0 | 1>('downgrade');
const READERS = script<number>('readers');

/** The queues in Redis, one per key, and this client's members in them. queue.lua describes their keys. */
export class LockQueue {
  readonly watchdogMs: number;
  readonly heartbeatMs: number;
  readonly commandTimeoutMs: number;
  private readonly prefix: string;
  private readonly clientId = randomUUID();
  private members = 0;
  private readonly wakeups: Wakeups;
  private readonly replication: Replication;

  constructor(
    private readonly client: RedisClient,
    {
      prefix = DEFAULT_PREFIX,
      watchdogMs = DEFAULT_WATCHDOG_MS,
      heartbeatMs = 1500,
      replicas = 0,
    }: QueueOptions,
  ) {
    checkDurations({ watchdogMs, heartbeatMs });
    this.prefix = prefix;
    this.watchdogMs = watchdogMs;
    this.heartbeatMs = heartbeatMs;
    this.wakeups = new Wakeups(client);
    this.replication = new Replication(client, replicas);
    this.commandTimeoutMs = commandTimeoutOf(client) + this.replication.timeoutMs;
  }

  /** A name that no other member has, so that no other client can release its lock. */
  newMember(role: Role): string {
    this.members += 1;
    return `${role === 'writer' ? 'w' : 'r'}:${this.clientId}:${this.members}`;
  }

  /** Idempotent: the same member asking again gets the same grant, or keeps its place. */
  async enter(key: string, member: string, leaseMs: number, queueUp: boolean): Promise<Attempt> {
    const args = [member, this.channels, leaseMs, queueUp ? this.heartbeatMs : 0];
    const isGrant = ([entered]: readonly [0 | 1, number]) => entered === 1;
    const [entered, value] = await this.replication.run(ENTER, this.redisKeys(key), args, isGrant);
    return entered === 1 ? { granted: true, token: BigInt(value) } : { granted: false, retryMs: value };
  }

  async renew(key: string, member: string, leaseMs: number): Promise<boolean> {
    return (await this.run(RENEW, key, member, leaseMs)) === 1;
  }

  /** Releases the lock of the member, or its place in the queue. True when it held the lock until now. */
  async leave(key: string, member: string): Promise<boolean> {
    return (await this.run(LEAVE, key, member)) === 1;
  }

  async downgrade(key: string, writer: string, reader: string, leaseMs: number): Promise<boolean> {
    return (await this.run(DOWNGRADE, key, writer, reader, leaseMs)) === 1;
  }

  readers(key: string): Promise<number> {
    return this.run(READERS, key, '');
  }

  /** Receives a message when it is the member's turn: one subscription for all members and keys of this client. */
  listen(member: string): Listener {
    return this.wakeups.listen(`${this.channels}${this.clientId}`, member);
  }

  close(): void {
    this.wakeups.close();
  }

  private get channels(): string {
    return `${this.prefix}turn:`;
  }

  private run<Answer>(
    script: Script<Answer>,
    key: string,
    member: string,
    ...args: (string | number)[]
  ): Promise<Answer> {
    return script.run(this.client, this.redisKeys(key), [member, this.channels, ...args]);
  }

  /** The first key is the same for every kind of lock: a lock of another kind on the same key gets an error from Redis. */
  private redisKeys(key: string): [string, ...string[]] {
    const lock = redisKey(this.prefix, key);
    const parts = [':writers', ':readers', ':heartbeats', ':fence', ':released'];
    return [lock, ...parts.map((name) => lock + name)];
  }
}
