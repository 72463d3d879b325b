import { arm, checkpoint, CHECKPOINTS, observed } from '../src/checkpoints/checkpoint.js';
import { callerOf } from '../src/checkpoints/checkpoint-client.js';

/** The stack at a checkpoint of a project in `folder`. */
const stackIn = (folder: string) => `Error
    at CheckpointClient.arrive (${folder}/src/checkpoints/checkpoint-client.ts:69:29)
    at checkpoint (${folder}/src/checkpoints/checkpoint.ts:31:9)
    at Stock.read (${folder}/src/stock/stock.ts:67:11)
    at async ForUpdate.deduct (${folder}/src/strategies/database/for-update.ts:40:5)`;

describe('the line of a checkpoint', () => {
  test.each(['/lockstock', '/home/me/src/lockstock', '/a b/src/c', '/var/checkpoints', '/src'])(
    'is found wherever the project lies: %s',
    (folder) => {
      expect(callerOf(stackIn(folder))).toEqual({
        file: 'src/stock/stock.ts',
        line: 67,
        symbol: 'Stock.read',
      });
    },
  );

  test('is absent without source maps', () => {
    expect(callerOf('Error\n    at Stock.read (/lockstock/dist/src/stock/stock.js:50:9)')).toBeUndefined();
  });
});

test('checkpoints do nothing until they are armed', async () => {
  const send = () => Promise.resolve('answer');
  const places: string[] = [];
  for (const name of CHECKPOINTS) expect(checkpoint(name)).toBeUndefined();
  expect(await observed('mysql', 'SELECT 1', send)).toBe('answer');

  arm({
    arrive: (name) => Promise.resolve(void places.push(name)),
    query: (server, text, ask) => {
      places.push(`${server}: ${text}`);
      return ask();
    },
    holdsCommands: () => false,
    unobserved: (work) => work(),
  });
  await checkpoint('beforeWrite');
  expect(await observed('mysql', 'SELECT 1', send)).toBe('answer');
  expect(places).toEqual(['beforeWrite', 'mysql: SELECT 1']);
});
