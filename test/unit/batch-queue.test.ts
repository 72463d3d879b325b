import { LockTimeout, TooManyWaiting } from '../../src/locks/index.js';
import { BatchQueue, type BatchWork, type ItemOutcome } from '../../src/strategies/support/batch-queue.js';

const LONG = { waitMs: 10_000 };

/** Work that records its batches, and waits at its beginning and before its end until it may go on. */
class HeldWork {
  readonly batches: (readonly number[])[] = [];
  private readonly held: (() => void)[] = [];

  readonly work: BatchWork<number, string> = async (close) => {
    await this.wait();
    const items = close();
    this.batches.push(items);
    await this.wait();
    return items.map((item): ItemOutcome<string> => ({ status: 'fulfilled', value: `done ${item}` }));
  };

  /** Lets all work proceed by one step, and waits until it has. */
  async step(): Promise<void> {
    for (const proceed of this.held.splice(0)) proceed();
    await new Promise(setImmediate);
  }

  private wait(): Promise<void> {
    return new Promise((resolve) => this.held.push(resolve));
  }
}

function queueOf(held: HeldWork, limits = { batch: 100, waiting: 100 }): BatchQueue<number, string> {
  return new BatchQueue(held.work, limits);
}

test('items join until the batch is closed; the rest are the next batch', async () => {
  const held = new HeldWork();
  const queue = queueOf(held);
  const answers = [1, 2].map((item) => queue.do(item, LONG));
  await held.step();
  answers.push(...[3, 4].map((item) => queue.do(item, LONG)));
  for (let step = 0; step < 3; step += 1) await held.step();
  expect(await Promise.all(answers)).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
  expect(held.batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(queue.idle).toBe(true);
});

test('a batch has a largest size, and a queue a largest length', async () => {
  const held = new HeldWork();
  const queue = queueOf(held, { batch: 3, waiting: 4 });
  const answers = [1, 2, 3, 4, 5].map((item) => queue.do(item, LONG));
  await expect(queue.do(6, LONG)).rejects.toBeInstanceOf(TooManyWaiting);
  for (let step = 0; step < 4; step += 1) await held.step();
  await Promise.all(answers);
  expect(held.batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('an item that waits too long or is withdrawn is in no batch', async () => {
  const held = new HeldWork();
  const queue = queueOf(held);
  const caller = new AbortController();
  const first = queue.do(1, LONG);
  const late = queue.do(2, { waitMs: 1 });
  const gone = queue.do(3, { ...LONG, signal: caller.signal });
  await expect(late).rejects.toBeInstanceOf(LockTimeout);
  caller.abort(new Error('hung up'));
  await expect(gone).rejects.toThrow('hung up');
  await held.step();
  await held.step();
  expect(await first).toBe('done 1');
  expect(held.batches).toEqual([[1]]);
});

test('work that fails before the batch is closed fails for its leader only', async () => {
  let runs = 0;
  const queue = new BatchQueue<number, string>(
    (close) => {
      runs += 1;
      if (runs === 1) return Promise.reject(new Error('no row'));
      return Promise.resolve(close().map((item) => ({ status: 'fulfilled', value: `done ${item}` })));
    },
    { batch: 10, waiting: 10 },
  );
  const [first, ...others] = [1, 2, 3].map((item) => queue.do(item, LONG));
  await expect(first).rejects.toThrow('no row');
  expect(await Promise.all(others)).toEqual(['done 2', 'done 3']);
});

test('work that fails afterwards fails for the whole batch, and for no other item', async () => {
  let runs = 0;
  const queue = new BatchQueue<number, string>(
    async (close) => {
      await new Promise(setImmediate);
      const items = close();
      runs += 1;
      if (runs === 1) throw new Error('unknown');
      return items.map((item) => ({ status: 'fulfilled', value: `done ${item}` }));
    },
    { batch: 2, waiting: 10 },
  );
  const answers = await Promise.allSettled([1, 2, 3].map((item) => queue.do(item, LONG)));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
