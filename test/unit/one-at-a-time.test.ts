import { OneAtATime } from '../../src/redis-stock/one-at-a-time.js';

/** Work that ends when the test says so. */
function workshop(gathered?: () => Promise<void>) {
  const begun: ((result: string | Error) => void)[] = [];
  const work = new OneAtATime<number, string>(
    () =>
      new Promise((resolve, reject) => {
        begun.push((result) => {
          if (result instanceof Error) reject(result);
          else resolve(result);
        });
      }),
    gathered,
  );
  return { work, begun };
}
const settle = () => new Promise(setImmediate);

test('callers that come while it runs share the next run', async () => {
  const { work, begun } = workshop();
  const first = work.run(1);
  const late = [work.run(1), work.run(1), work.run(1)];
  expect(begun).toHaveLength(1);
  begun[0]?.('old');
  expect(await first).toBe('old');
  await settle();
  expect(begun).toHaveLength(2);
  begun[1]?.('new');
  expect(await Promise.all(late)).toEqual(['new', 'new', 'new']);
});

test('callers that arrive before the first run begins share it', async () => {
  const { work, begun } = workshop(settle);
  const early = [work.run(1), work.run(1), work.run(1)];
  expect(begun).toHaveLength(0);
  await settle();
  const late = [work.run(1), work.run(1)];
  expect(begun).toHaveLength(1);
  begun[0]?.('first');
  expect(await Promise.all(early)).toEqual(['first', 'first', 'first']);
  await settle();
  expect(begun).toHaveLength(2);
  begun[1]?.('second');
  expect(await Promise.all(late)).toEqual(['second', 'second']);
});

test('a caller that arrives between two runs does not start a third one during the second', async () => {
  const { work, begun } = workshop();
  const first = work.run(1);
  void work.run(1);
  const between = first.then(() => work.run(1));
  begun[0]?.('first');
  await settle();
  expect(begun).toHaveLength(2);
  begun[1]?.('second');
  expect(await between).toBe('second');
});

test('a failure reaches every caller that shared the run, and the next run begins', async () => {
  const { work, begun } = workshop();
  const first = work.run(1);
  const next = work.run(1);
  begun[0]?.(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await settle();
  begun[1]?.('fine');
  expect(await next).toBe('fine');
});

test('keys do not wait for each other', () => {
  const { work, begun } = workshop();
  void work.run(1);
  void work.run(2);
  expect(begun).toHaveLength(2);
});
