import { type AcquireOptions, type Lease, LocalLock, LockLost, LockTimeout } from '../../src/locks/index.js';
import { holding } from '../../src/strategies/holding.js';

/** A lock that says after the work that its lease was lost half-way. */
class LostLock extends LocalLock {
  override async using<T>(
    key: string,
    options: AcquireOptions,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    await super.using(key, options, work).catch(() => undefined);
    throw new LockLost();
  }
}

const hold = <T>(lock: LocalLock, work: () => Promise<T>) => holding(lock, 'goods:1', { waitMs: 0 }, work);

test('work that has ended well is answered, although the lock was lost meanwhile', async () => {
  expect(await hold(new LostLock(), () => Promise.resolve('sold'))).toBe('sold');
});

test('work that has failed is answered with its own error', async () => {
  const soldOut = new Error('sold out');
  await expect(hold(new LostLock(), () => Promise.reject(soldOut))).rejects.toBe(soldOut);
});

test('a lock that was not acquired is an error, and the work does not run', async () => {
  const lock = new LocalLock();
  const held = await lock.acquire('goods:1', { waitMs: 0 });
  const work = jest.fn(() => Promise.resolve());
  await expect(hold(lock, work)).rejects.toBeInstanceOf(LockTimeout);
  expect(work).not.toHaveBeenCalled();
  await held.release();
});
