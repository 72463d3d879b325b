import { LockTimeout, TooManyWaiting } from '../../src/locks/errors.js';
import { LocalLock } from '../../src/locks/local-lock.js';
import { LocalSemaphore } from '../../src/locks/local-semaphore.js';

const SOON = { waitMs: 5000 };

describe('the local semaphore', () => {
  test('lets in as many as it has places, and the rest in the order they came', async () => {
    const semaphore = new LocalSemaphore(2);
    const [first, second] = [await semaphore.acquire(SOON), await semaphore.acquire(SOON)];
    const order: string[] = [];
    const third = semaphore.acquire(SOON).then((release) => (order.push('third'), release));
    const fourth = semaphore.acquire(SOON).then((release) => (order.push('fourth'), release));
    expect([semaphore.held, semaphore.waiting]).toEqual([2, 2]);
    first();
    (await third)();
    second();
    (await fourth)();
    expect(order).toEqual(['third', 'fourth']);
    expect([semaphore.held, semaphore.waiting]).toEqual([0, 0]);
  });

  test('a wait that times out leaves its place in the queue at once', async () => {
    const semaphore = new LocalSemaphore(1);
    const release = await semaphore.acquire(SOON);
    await expect(semaphore.acquire({ waitMs: 5 })).rejects.toBeInstanceOf(LockTimeout);
    expect(semaphore.waiting).toBe(0);
    release();
    expect(semaphore.held).toBe(0);
  });

  test('an aborted wait leaves nothing behind, and an aborted caller gets nothing', async () => {
    const semaphore = new LocalSemaphore(1);
    const release = await semaphore.acquire(SOON);
    const caller = new AbortController();
    const waiting = semaphore.acquire({ ...SOON, signal: caller.signal });
    caller.abort(new Error('gone home'));
    await expect(waiting).rejects.toThrow('gone home');
    await expect(semaphore.acquire({ ...SOON, signal: caller.signal })).rejects.toThrow('gone home');
    expect(semaphore.waiting).toBe(0);
    release();
    expect(semaphore.held).toBe(0);
  });

  test('refuses to let the queue grow beyond its bound', async () => {
    const semaphore = new LocalSemaphore(1, 1);
    const release = await semaphore.acquire(SOON);
    const waiting = semaphore.acquire(SOON);
    await expect(semaphore.acquire(SOON)).rejects.toBeInstanceOf(TooManyWaiting);
    release();
    (await waiting)();
  });

  test('giving a place back twice gives it back once', async () => {
    const semaphore = new LocalSemaphore(1);
    const release = await semaphore.acquire(SOON);
    release();
    release();
    const again = await semaphore.acquire(SOON);
    expect(semaphore.held).toBe(1);
    again();
  });
});

describe('the local lock', () => {
  test('one at a time per key, and keys do not disturb each other', async () => {
    const lock = new LocalLock();
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, (inside += 1));
      await new Promise(setImmediate);
      inside -= 1;
    };
    const other = await lock.acquire('other', SOON);
    await Promise.all(Array.from({ length: 50 }, () => lock.using('key', SOON, work)));
    expect(most).toBe(1);
    expect(await other.release()).toBe(true);
    expect(await other.release()).toBe(false);
  });

  test('is released when the work fails', async () => {
    const lock = new LocalLock();
    await expect(lock.using('key', SOON, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const lease = await lock.acquire('key', { waitMs: 0 });
    expect(await lease.release()).toBe(true);
  });
});
