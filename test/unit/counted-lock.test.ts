import { CountedLock, LocalLock, LockTimeout } from '../../src/locks/index.js';

const SOON = { waitMs: 5000 };
const counts = ({ held, waiting }: CountedLock) => ({ held, waiting });

test('counts holders until they release and waiters until they leave', async () => {
  const lock = new CountedLock(new LocalLock());
  const held = await lock.acquire('key', SOON);
  expect(counts(lock)).toEqual({ held: 1, waiting: 0 });
  const inside: object[] = [];
  const waiting = lock.using('key', SOON, () => Promise.resolve(inside.push(counts(lock))));
  const impatient = lock.acquire('key', { waitMs: 5 });
  expect(counts(lock)).toEqual({ held: 1, waiting: 2 });
  await expect(impatient).rejects.toBeInstanceOf(LockTimeout);
  expect(counts(lock)).toEqual({ held: 1, waiting: 1 });
  expect(await held.release()).toBe(true);
  expect(await held.release()).toBe(false);
  await waiting;
  expect(inside).toEqual([{ held: 1, waiting: 0 }]);
  expect(counts(lock)).toEqual({ held: 0, waiting: 0 });
});

test('work that fails and a scope that ends are counted as released', async () => {
  const lock = new CountedLock(new LocalLock());
  await expect(lock.using('key', SOON, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const scope = async () => {
    await using lease = await lock.acquire('key', SOON);
    expect([lease.key, lease.token, counts(lock)]).toEqual(['key', 2n, { held: 1, waiting: 0 }]);
  };
  await scope();
  expect(counts(lock)).toEqual({ held: 0, waiting: 0 });
});
