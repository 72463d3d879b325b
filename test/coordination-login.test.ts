import { readFileSync } from 'node:fs';
import zookeeper, { type Client } from 'node-zookeeper-client';
import { type Supervised } from '../src/lab/processes/supervisor.js';
import { type Servers } from '../src/lab/servers.js';
import { connectEtcd } from '../src/locks/etcd/connect.js';
import { EtcdLock, type SessionLock, ZookeeperLock } from '../src/locks/index.js';
import { etcdKeys } from './support/coordination-kinds.js';
import { eventually } from './support/eventually.js';
import { isHere } from './support/optional-servers.js';
import { startOwnServers } from './support/own-servers.js';
import { servers } from './support/test-shop.js';

const PATIENT = { waitMs: 30_000 };
const KEY = `login-${process.pid}`;

/** The address without the account: any user of the machine can find it. */
function anonymous(url: string | undefined): string {
  const { protocol, host } = new URL(url ?? '');
  return `${protocol}//${host}`;
}

const SERVICE = { prefix: 'lockstock/lock/' };

/** The lock as the service creates it. */
const LOCKS: Readonly<Record<string, (addresses: typeof servers) => SessionLock>> = {
  etcd: ({ etcdUrl = '' }) => new EtcdLock(etcdUrl, SERVICE),
  // node-zookeeper-client may hang in a restart of its server: the end of its session frees it.
  zookeeper: ({ zookeeperUrl = '' }) =>
    new ZookeeperLock(zookeeperUrl, { root: '/lockstock/lock', watchdogMs: 2000 }),
};

if (isHere('etcd'))
  describe('etcd', () => {
    test('a client without a login cannot read, write or delete', async () => {
      const lock = new EtcdLock(servers.etcdUrl ?? '', SERVICE);
      const lease = await lock.acquire(KEY, PATIENT);
      const stranger = await connectEtcd(anonymous(servers.etcdUrl));
      try {
        const prefix = 'lockstock/lock/';
        await expect(stranger.getAll().prefix(prefix).keys()).rejects.toThrow('user name is empty');
        await expect(stranger.delete().prefix(prefix)).rejects.toThrow('user name is empty');
        await expect(stranger.put('lockstock/lock/mine').value('')).rejects.toThrow('user name is empty');
        await expect(stranger.auth.authDisable()).rejects.toThrow('user name is empty');
        await expect(stranger.user('root').setPassword('mine')).rejects.toThrow('user name is empty');
        expect(await lease.release()).toBe(true);
      } finally {
        stranger.close();
        await lock.close();
      }
    });

    test("the service's account can access its own keys only", async () => {
      const service = await connectEtcd(servers.etcdUrl ?? '');
      try {
        await service.put(`lockstock/${KEY}`).value('mine');
        expect(await service.delete().key(`lockstock/${KEY}`)).toMatchObject({ deleted: '1' });
        await expect(service.put(KEY).value('mine')).rejects.toThrow('permission denied');
        await expect(service.getAll().keys()).rejects.toThrow('permission denied');
        await expect(service.user('root').setPassword('mine')).rejects.toThrow('permission denied');
      } finally {
        service.close();
      }
    });
  });

if (isHere('zookeeper'))
  describe('zookeeper', () => {
    let stranger: Client;
    beforeAll(async () => {
      const { host } = new URL(servers.zookeeperUrl ?? '');
      stranger = zookeeper.createClient(host, { sessionTimeout: 5000 });
      stranger.connect();
      await eventually('connected', () => stranger.getState() === zookeeper.State.SYNC_CONNECTED);
    });
    afterAll(() => {
      stranger.close();
    });

    /** The result of a request: OK, or the name of its error. */
    const outcome = (ask: (done: (error: unknown) => void) => void) =>
      new Promise<string>((resolve) => {
        ask((error) => {
          resolve(error instanceof Object && 'name' in error ? String(error.name) : 'OK');
        });
      });

    test('a client without a login cannot read, create or delete', async () => {
      const lock = new ZookeeperLock(servers.zookeeperUrl ?? '', { root: '/lockstock/lock' });
      const lease = await lock.acquire(KEY, PATIENT);
      const folder = `/lockstock/lock/key-${KEY}`;
      const open = [new zookeeper.ACL(zookeeper.Permission.ALL, new zookeeper.Id('world', 'anyone'))];
      const paths = ['/', '/lockstock', '/lockstock/lock', folder];
      const tries: ((path: string, done: (error: unknown) => void) => void)[] = [
        (path, done) => {
          stranger.getChildren(path, done);
        },
        (path, done) => {
          stranger.create(`${path === '/' ? '' : path}/mine`, done);
        },
        (path, done) => {
          stranger.setACL(path, open, done);
        },
        (path, done) => {
          stranger.remove(path === '/' ? '/lockstock' : path, done);
        },
      ];
      for (const path of paths)
        for (const attempt of tries)
          expect(
            await outcome((done) => {
              attempt(path, done);
            }),
          ).toBe('NO_AUTH');
      expect(await lease.release()).toBe(true);
      await lock.close();
    });
  });

describe.each(['etcd', 'zookeeper'].filter(isHere))('%s', (name) => {
  const open =
    LOCKS[name] ??
    (() => {
      throw new Error(name);
    });

  test('a wrong password is reported when the lock connects, in a message without the password', async () => {
    const wrong = (url: string | undefined) => (url ?? '').replace(/:[^:@/]+@/, ':hunter2@');
    const said: string[] = [];
    const onChange = (up: boolean, cause?: unknown) => {
      said.push(up ? 'up' : String(cause));
    };
    const lock =
      name === 'etcd'
        ? new EtcdLock(wrong(servers.etcdUrl), { prefix: 'lockstock/lock/', onChange })
        : new ZookeeperLock(wrong(servers.zookeeperUrl), { root: '/lockstock/lock', onChange });
    const right = open(servers);
    await right.using(KEY, PATIENT, () => Promise.resolve());
    await lock.start();
    expect(lock.up).toBe(false);
    await expect(lock.acquire(KEY, PATIENT)).rejects.toThrow('does not answer');
    expect(said.join()).toMatch(/password|authentication failed/);
    expect(said.join()).not.toMatch(/hunter2|^up/);
    await lock.close();
    await right.close();
  });
});

describe('after a restart', () => {
  let own: Servers;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ own, close } = await startOwnServers());
  });
  afterAll(() => close());

  const server = (name: string): Supervised => {
    const found = name === 'etcd' ? own.etcd : own.zookeeper;
    if (!found) throw new Error(`no ${name}`);
    return found;
  };

  /** Kills the server; the lab starts it again. */
  async function restart(name: string): Promise<void> {
    const before = server(name).pid;
    server(name).signal('SIGKILL');
    await eventually('it is back', () => server(name).pid !== undefined && server(name).pid !== before);
  }

  test.each(['etcd', 'zookeeper'].filter(isHere))('a client of %s logs in again', async (name) => {
    const lock = LOCKS[name]?.(own.addresses);
    if (!lock) throw new Error(name);
    await lock.using(KEY, PATIENT, () => Promise.resolve());
    await restart(name);
    await eventually('the lock is held again', () =>
      lock.using(KEY, PATIENT, () => Promise.resolve(true)).catch(() => false),
    );
    await lock.close();
  });

  if (isHere('etcd'))
    test('etcd wakes a waiter whose token it has dropped, and still refuses clients without a login', async () => {
      const { etcdUrl = '', etcdLabUrl = '' } = own.addresses;
      const [holder, waiter] = [new EtcdLock(etcdUrl, SERVICE), new EtcdLock(etcdUrl, SERVICE)];
      const lease = await holder.acquire(KEY, PATIENT);
      const waiting = waiter.acquire(KEY, PATIENT);
      await eventually('it waits', async () => (await etcdKeys(etcdLabUrl, SERVICE.prefix)).length === 2);
      await restart('etcd');
      await eventually('both are connected', () => holder.up && waiter.up);
      expect(await lease.release()).toBe(true);
      expect(await (await waiting).release()).toBe(true);
      const stranger = await connectEtcd(anonymous(etcdUrl));
      await expect(stranger.getAll().keys()).rejects.toThrow('user name is empty');
      for (const client of [stranger, holder, waiter]) await client.close();
    });

  test('no password of the lab is in the arguments of a server', () => {
    const secrets = Object.values(own.addresses.secrets) as string[];
    for (const { name, pid } of own.all) {
      const line = readFileSync(`/proc/${pid ?? 0}/cmdline`, 'utf8');
      expect({ name, shown: secrets.filter((secret) => line.includes(secret)) }).toEqual({ name, shown: [] });
    }
  });
});
