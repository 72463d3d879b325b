import { EngineUnavailable } from '../../src/errors.js';
import { type AcquireOptions, type Lease, LocalLock, LockLost, LockTimeout } from '../../src/locks/index.js';
import { withLock } from '../../src/strategies/support/with-lock.js';

/** A lock that reports, after the work, that its lease was lost during it. */
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

const order = {
  goodsId: 1,
  quantity: 1,
  strategy: 'a-strategy',
  idempotencyKey: undefined,
  signal: new AbortController().signal,
};

const hold = <T>(lock: LocalLock, work: () => Promise<T>, engine?: 'redis') =>
  withLock({ lock, waitMs: 0, ...(engine && { engine }) }, order, work);

test('the result of the work is the answer, although the lock was lost meanwhile', async () => {
  expect(await hold(new LostLock(), () => Promise.resolve('sold'))).toBe('sold');
});

test('the error of the work is the answer, although the lock was lost meanwhile', async () => {
  const soldOut = new Error('sold out');
  await expect(hold(new LostLock(), () => Promise.reject(soldOut))).rejects.toBe(soldOut);
});

test('without the lock the work does not run', async () => {
  const lock = new LocalLock();
  const held = await lock.acquire('goods:1', { waitMs: 0 });
  const work = jest.fn(() => Promise.resolve());
  await expect(hold(lock, work)).rejects.toBeInstanceOf(LockTimeout);
  expect(work).not.toHaveBeenCalled();
  await held.release();
});

test('a lock server that does not answer is reported as unavailable; an error of the work is not', async () => {
  const broken = new LocalLock();
  broken.using = () => Promise.reject(new Error('ECONNREFUSED'));
  await expect(hold(broken, () => Promise.resolve(), 'redis')).rejects.toBeInstanceOf(EngineUnavailable);
  const own = new Error('of the work');
  await expect(hold(new LocalLock(), () => Promise.reject(own), 'redis')).rejects.toBe(own);
});
