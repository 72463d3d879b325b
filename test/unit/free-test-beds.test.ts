import { FreeTestBeds } from '../../src/lab/experiments/free-test-beds.js';

/** Work that runs until the test ends it. */
function holding(testBeds: FreeTestBeds<string>, name: string, log: string[]) {
  let end: (error?: Error) => void = () => undefined;
  const done = testBeds.use(async (testBed) => {
    log.push(`${name} on ${testBed}`);
    await new Promise<void>((resolve, reject) => {
      end = (error) => {
        if (error) reject(error);
        else resolve();
      };
    });
    return name;
  });
  return {
    done,
    end: (error?: Error) => {
      end(error);
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('each test bed runs one experiment at a time, in the order of the requests, also after a failure', async () => {
  const testBeds = new FreeTestBeds(['first']);
  const log: string[] = [];
  const a = holding(testBeds, 'A', log);
  const b = holding(testBeds, 'B', log);
  const c = holding(testBeds, 'C', log);
  await turn();
  expect(log).toEqual(['A on first']);

  a.end(new Error('A failed'));
  await expect(a.done).rejects.toThrow('A failed');
  await turn();
  expect(log).toEqual(['A on first', 'B on first']);

  testBeds.add('second');
  await turn();
  expect(log).toEqual(['A on first', 'B on first', 'C on second']);
  b.end();
  c.end();
  expect(await Promise.all([b.done, c.done])).toEqual(['B', 'C']);
});

test('after close, waiting and new experiments are refused, and the running experiment ends normally', async () => {
  const testBeds = new FreeTestBeds(['first']);
  const log: string[] = [];
  const running = holding(testBeds, 'A', log);
  const waiting = holding(testBeds, 'B', log);
  await turn();
  testBeds.close();
  await expect(waiting.done).rejects.toThrow('before this experiment began');
  await expect(holding(testBeds, 'C', log).done).rejects.toThrow('before this experiment began');
  running.end();
  expect(await running.done).toBe('A');
  expect(log).toEqual(['A on first']);
});
