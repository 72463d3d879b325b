import { randomUUID } from 'node:crypto';
import { type RedisClient } from './connect.js';
import { type Attempt, type RedisLockOptions } from './exclusive-lock.js';
import { Script } from './script.js';
import { type Listener, Wakeups } from './wakeups.js';

export interface QueueOptions extends RedisLockOptions {
  /**
   * Who waits shows every third of this time that it is still there, and counts as dead after it. This is what a dead
   * waiter costs those behind it; a waiter that was merely paused for longer goes to the end of the queue.
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

/** The queues in Redis, one per key, and this client's part in them. What they are made of stands in queue.lua. */
export class LockQueue {
  readonly watchdogMs: number;
  readonly heartbeatMs: number;
  private readonly prefix: string;
  private readonly clientId = randomUUID();
  private members = 0;
  private readonly wakeups: Wakeups;

  constructor(
    readonly client: RedisClient,
    readonly options: QueueOptions,
  ) {
    this.prefix = options.prefix ?? 'lock:';
    this.watchdogMs = options.watchdogMs ?? 30_000;
    this.heartbeatMs = options.heartbeatMs ?? 1500;
    this.wakeups = new Wakeups(client);
  }

  /** Nobody else has this name, so nobody else can give back what it holds. */
  newMember(role: Role): string {
    this.members += 1;
    return `${role === 'writer' ? 'w' : 'r'}:${this.clientId}:${this.members}`;
  }

  /** Idempotent: the same member asking again gets the same grant, or keeps its place. */
  async enter(key: string, member: string, leaseMs: number, queueUp: boolean): Promise<Attempt> {
    const args = [leaseMs, queueUp ? this.heartbeatMs : 0];
    const [entered, value] = await this.run(ENTER, key, member, ...args);
    return entered === 1 ? { granted: true, token: BigInt(value) } : { granted: false, retryMs: value };
  }

  async renew(key: string, member: string, leaseMs: number): Promise<boolean> {
    return (await this.run(RENEW, key, member, leaseMs)) === 1;
  }

  /** Gives back what the member holds, or its place in the queue. True when it held until now. */
  async leave(key: string, member: string): Promise<boolean> {
    return (await this.run(LEAVE, key, member)) === 1;
  }

  async downgrade(key: string, writer: string, reader: string, leaseMs: number): Promise<boolean> {
    return (await this.run(DOWNGRADE, key, writer, reader, leaseMs)) === 1;
  }

  readers(key: string): Promise<number> {
    return this.run(READERS, key, '');
  }

  /** Hears when it is the member's turn: one subscription for all of this client's members and keys. */
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
    run: Script<Answer>,
    key: string,
    member: string,
    ...args: (string | number)[]
  ): Promise<Answer> {
    // Braces: one slot in a cluster. The first name is that of every lock, so that kinds cannot be mixed unnoticed.
    const lock = `${this.prefix}{${key}}`;
    const keys = ['', ':writers', ':readers', ':heartbeats', ':fence', ':released'].map(
      (name) => lock + name,
    );
    return run.run(this.client, keys, [member, this.channels, ...args]);
  }
}
