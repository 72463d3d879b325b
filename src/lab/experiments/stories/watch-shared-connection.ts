import { redisStockKeys } from '../../../redis-stock/redis-stock-keys.js';
import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { GOODS } from '../../test-bed/test-bed.js';

/** P12: two requests WATCH on one connection; the EXEC of the first clears the WATCH of the second. */
const SHARED: Experiment = {
  id: 'watch-shared-connection',
  title: 'Two requests WATCH on one connection',
  claims: ['C9', 'P12'],
  strategy: 'watch-shared-connection',
  fault: 'concurrency',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: (run) => play(run, 'one connection'),
};

async function play(run: ExperimentRun, connections: 'one connection' | 'two connections') {
  const { node } = run.testBed.redis;
  const a = run.buyer('A', 1);
  const b = run.buyer('B', 1);
  await a.runUntil(['afterRead']);
  await b.runUntil(['afterRead']);
  const first = await a.finish();
  const warned = await node.ask(async (client) => warnedConnections(await client.call('CLIENT', 'LIST')));
  run.prove(
    connections === 'one connection'
      ? 'A’s EXEC cleared B’s WATCH: Redis will not refuse B'
      : 'A’s EXEC changed the key that B watches: Redis will refuse B',
    `${warned} marked in CLIENT LIST`,
    warned === (connections === 'one connection' ? 0 : 1),
  );
  const second = await b.finish();
  const left = Number(await node.ask((client) => client.get(redisStockKeys(GOODS).stock)));
  const expected = connections === 'one connection' ? -1 : 0;
  run.prove(`the stock in Redis is ${expected}`, `GET ${left}`, left === expected);
  run.recorder.expectOrder('A afterRead', 'B afterRead', `A ${first.kind}`, `B ${second.kind}`);
  return {
    why:
      second.kind === 'sold'
        ? 'A’s EXEC cleared every WATCH of the connection, so B’s EXEC succeeded although the stock had changed.'
        : 'B’s EXEC was refused because the stock had changed; B retried and found no stock left.',
  };
}

/** Connections whose EXEC will fail because a watched key has changed: CLIENT LIST marks them with d. */
function warnedConnections(list: unknown): number {
  return [...String(list).matchAll(/ flags=(\w+)/g)].filter(([, flags]) => flags?.includes('d')).length;
}

export const WATCH_SHARED_CONNECTION: readonly Experiment[] = [
  SHARED,
  {
    ...SHARED,
    id: 'watch-own-connection',
    title: 'Two requests WATCH, each on its own connection',
    strategy: 'redis-watch',
    twinOf: SHARED.id,
    expected: 'SAFE',
    run: (run) => play(run, 'two connections'),
  },
];
