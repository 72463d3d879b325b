import { ClientGone, Conflict, SoldOut } from '../../src/errors.js';
import { retryConflicts } from '../../src/stock/retry-conflicts.js';

const here = { signal: new AbortController().signal };

test('tries again after a conflict and says how often it tried', async () => {
  const attempts = await retryConflicts(here, (attempt) =>
    attempt < 3 ? Promise.reject(new Conflict()) : Promise.resolve(attempt),
  );
  expect(attempts).toBe(3);
});

test('gives up after a bounded number of attempts', async () => {
  let tries = 0;
  const hopeless = retryConflicts(here, () => {
    tries += 1;
    return Promise.reject(new Conflict());
  });
  await expect(hopeless).rejects.toBeInstanceOf(Conflict);
  expect(tries).toBe(16);
});

test('does not retry an error that will not change', async () => {
  let tries = 0;
  const soldOut = retryConflicts(here, () => {
    tries += 1;
    return Promise.reject(new SoldOut(1, 1, 1));
  });
  await expect(soldOut).rejects.toBeInstanceOf(SoldOut);
  expect(tries).toBe(1);
});

test('stops when the client has hung up', async () => {
  const client = new AbortController();
  const gone = retryConflicts({ signal: client.signal }, () => {
    client.abort();
    return Promise.reject(new Conflict());
  });
  await expect(gone).rejects.toBeInstanceOf(ClientGone);
});
