import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../src/lab/ports.js';
import { TcpProxy } from '../src/lab/tcp-proxy.js';
import { ROOT } from '../src/lab/paths.js';
import { connectEtcd } from '../src/locks/etcd/connect.js';
import { EtcdLock, LockLost, NoSession, type SessionLock, ZookeeperLock } from '../src/locks/index.js';
import { etcdKeys, zookeeperNodes } from './support/coordination-kinds.js';
import { eventually } from './support/eventually.js';
import { isHere } from './support/optional-servers.js';
import { servers } from './support/test-shop.js';

const SESSION_MS = 2000;
const PATIENT = { waitMs: 30_000 };

interface Kind {
  readonly name: string;
  readonly url: string | undefined;
  open(url: string, space: string, watchdogMs: number): SessionLock;
  places(url: string, space: string): Promise<string[]>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'etcd',
    url: servers.etcdLabUrl,
    open: (url, space, watchdogMs) => new EtcdLock(url, { prefix: `${space}/`, watchdogMs }),
    places: (url, space) => etcdKeys(url, `${space}/`),
  },
  {
    name: 'zookeeper',
    url: servers.zookeeperUrl,
    open: (url, space, watchdogMs) => new ZookeeperLock(url, { root: `/${space}`, watchdogMs }),
    places: (url, space) => zookeeperNodes(url, `/${space}`),
  },
];

let spaces = 0;

/** A lock whose connection can be cut, and a second lock with a connection of its own. */
class TwoLocks {
  private constructor(
    readonly wire: TcpProxy,
    readonly cut: SessionLock,
    readonly other: SessionLock,
    readonly places: () => Promise<string[]>,
  ) {}

  static async open(kind: Kind, sessionMs = SESSION_MS): Promise<TwoLocks> {
    const { url = '' } = kind;
    spaces += 1;
    const space = `wire-${process.pid}-${spaces}`;
    const port = Number(new URL(url).port);
    const wire = await TcpProxy.to(port);
    const cut = kind.open(url.replace(`:${port}`, `:${wire.port}`), space, sessionMs);
    const other = kind.open(url, space, sessionMs);
    await Promise.all([cut.start(), other.start()]);
    return new TwoLocks(wire, cut, other, () => kind.places(url, space));
  }

  /** Uses the key once, because ZooKeeper creates its parent node at the first use. */
  async use(key: string): Promise<void> {
    await this.cut.using(key, PATIENT, () => Promise.resolve());
  }

  mend(): void {
    this.wire.set({ requests: 'pass', answers: 'pass' });
    this.wire.reset();
  }

  async close(): Promise<void> {
    this.mend();
    await this.cut.close();
    await this.other.close();
    await this.wire.close();
  }
}

describe.each(KINDS.filter(({ name }) => isHere(name)))('$name', (kind) => {
  let locks: TwoLocks;
  const open = async (sessionMs?: number) => (locks = await TwoLocks.open(kind, sessionMs));
  afterEach(() => locks.close());

  test('a queue entry whose creation got no answer is found again, and exists once', async () => {
    const { cut, wire, places } = await open(20_000);
    await locks.use('unanswered');
    wire.set({ answers: 'drop' });
    const acquiring = cut.acquire('unanswered', PATIENT);
    await eventually('the place was made', async () => (await places()).length === 1);
    await eventually('its answer was lost', () => wire.intercepted > 0);
    locks.mend();
    const lease = await acquiring;
    expect(await places()).toHaveLength(1);
    expect(await lease.release()).toBe(true);
    expect(await places()).toEqual([]);
  });

  test('a queue entry that was abandoned during an outage is deleted, although its session is still open', async () => {
    const { cut, other, wire, places } = await open(20_000);
    await locks.use('given up');
    wire.set({ answers: 'drop' });
    const acquiring = cut.acquire('given up', { waitMs: 300 });
    await expect(acquiring).rejects.toThrow();
    expect(await places()).toHaveLength(1);
    locks.mend();
    const lease = await other.acquire('given up', PATIENT);
    expect(lease.waitedMs).toBeLessThan(15_000);
    expect(await lease.release()).toBe(true);
  });

  test('a release that could not be sent is sent later', async () => {
    const { cut, other, wire, places } = await open(20_000);
    const lease = await cut.acquire('kept', PATIENT);
    wire.set({ requests: 'drop', answers: 'drop' });
    expect(await lease.release()).toBe(false);
    expect(await places()).toHaveLength(1);
    locks.mend();
    const next = await other.acquire('kept', PATIENT);
    expect(next.waitedMs).toBeLessThan(15_000);
    expect(await next.release()).toBe(true);
  });

  test('a holder that is disconnected for longer than its session learns of the loss before another client holds the lock', async () => {
    const { cut, other, wire, places } = await open();
    const lease = await cut.acquire('cut off', PATIENT);
    const lostAt = once(lease.signal, 'abort').then(() => performance.now());
    wire.set({ requests: 'drop', answers: 'drop' });
    const next = await other.acquire('cut off', PATIENT);
    const heldAt = performance.now();
    expect(await lostAt).toBeLessThan(heldAt);
    expect(lease.remaining()).toBe(0);
    expect((next.token ?? 0n) > (lease.token ?? 0n)).toBe(true);
    locks.mend();
    expect(await lease.release()).toBe(false);
    expect(await next.release()).toBe(true);
    // The first client continues in a new session.
    await eventually('it answers again', () => cut.up);
    const again = await cut.acquire('cut off', PATIENT);
    expect((again.token ?? 0n) > (next.token ?? 0n)).toBe(true);
    expect(await again.release()).toBe(true);
    expect(await places()).toEqual([]);
  });

  test('a waiter survives a broken connection and is woken afterwards', async () => {
    const { cut, other, wire, places } = await open(20_000);
    const held = await other.acquire('outlived', PATIENT);
    const waiting = cut.acquire('outlived', PATIENT);
    await eventually('it stands in the queue', async () => (await places()).length === 2);
    wire.reset();
    expect(await held.release()).toBe(true);
    const lease = await waiting;
    expect(await lease.release()).toBe(true);
  });

  test('a broken connection loses a ZooKeeper lock but not an etcd lock', async () => {
    const { cut, other, wire } = await open(20_000);
    const lease = await cut.acquire('suspended', PATIENT);
    wire.reset();
    if (kind.name === 'zookeeper') {
      await eventually('it is lost', () => lease.signal.aborted);
      expect(await lease.release()).toBe(false);
    } else {
      await expect(other.acquire('suspended', { waitMs: 300 })).rejects.toThrow('not free');
      expect(lease.signal.aborted).toBe(false);
      expect(await lease.release()).toBe(true);
    }
    const next = await other.acquire('suspended', PATIENT);
    expect(next.waitedMs).toBeLessThan(15_000);
    expect(await next.release()).toBe(true);
  });

  test('a closed lock opens no connection', async () => {
    const { cut, wire } = await open();
    await cut.close();
    await eventually('no connection is left', () => wire.connections === 0);
    await cut.start();
    await expect(cut.acquire('closed', { waitMs: 100 })).rejects.toBeInstanceOf(NoSession);
    expect(wire.connections).toBe(0);
  });

  test('keys with the same prefix, and keys that look like paths, are different locks', async () => {
    const { cut } = await open();
    const keys = ['a', 'a/b', 'a/', '.', '..', 'ä b', 'goods:1', 'goods:10'];
    const leases = await Promise.all(keys.map((key) => cut.acquire(key, { waitMs: 5000 })));
    expect(leases.map(({ attempts }) => attempts)).toEqual(keys.map(() => 1));
    expect(await Promise.all(leases.map((lease) => lease.release()))).toEqual(keys.map(() => true));
  });
});

describe.each(KINDS.filter(({ name }) => name === 'etcd' && isHere(name)))('$name', (kind) => {
  test('a session that etcd has ended leaves no watch stream open', async () => {
    const locks = await TwoLocks.open(kind);
    const { cut, other, places } = locks;
    const { url = '' } = kind;
    try {
      const before = await watchStreams(url);
      const held = await other.acquire('ended', PATIENT);
      const [first] = await places();
      const waiting = cut.acquire('ended', PATIENT);
      waiting.catch(() => undefined);
      await eventually('it watches', async () => (await watchStreams(url)) === before + 1);
      const second = (await places()).find((place) => place !== first);
      await endSession(url, second ?? '');
      await expect(waiting).rejects.toBeInstanceOf(LockLost);
      const use = () => cut.using('another', PATIENT, () => Promise.resolve(true));
      await eventually('it has another session', () => use().catch(() => false));
      await eventually('the stream has ended', async () => (await watchStreams(url)) === before);
      await held.release();
    } finally {
      await locks.close();
    }
  });
});

/** The number of watch streams of etcd, for all its clients. */
async function watchStreams(url: string): Promise<number> {
  const { host } = new URL(url);
  const metrics = await (await fetch(`http://${host}/metrics`)).text();
  const [, count] = /^etcd_debugging_mvcc_watch_stream_total (\d+)$/m.exec(metrics) ?? [];
  return Number(count);
}

/** Revokes the lease that a key of etcd is bound to. */
async function endSession(url: string, key: string): Promise<void> {
  const client = await connectEtcd(url);
  const { kvs } = await client.get(key).exec();
  await client.leaseClient.leaseRevoke({ ID: kvs[0]?.lease ?? '' });
  client.close();
}

describe.each(KINDS.filter(({ name }) => isHere(name)))('a process that uses $name', ({ name, url = '' }) => {
  async function run(at: string): Promise<{ code: number | null; said: string; complained: string }> {
    const support = join(ROOT, 'test/support');
    const program = [join(support, 'run-typescript.cjs'), join(support, 'lock-and-leave.ts')];
    const child = spawn(process.execPath, [...program, name, at]);
    const heard = { said: '', complained: '' };
    child.stdout.on('data', (text) => (heard.said += String(text)));
    child.stderr.on('data', (text) => (heard.complained += String(text)));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...heard };
  }

  test('ends by itself after it has closed its lock', async () => {
    expect(await run(url)).toEqual({ code: 0, said: 'held|held', complained: '' });
  });

  test('ends without an error message when no server answers', async () => {
    const away = url.replace(/\d+$/, String(await freePort()));
    const gone = 'The coordination service does not answer.';
    expect(await run(away)).toEqual({ code: 0, said: `${gone}|${gone}`, complained: '' });
  });
});
