import { redisStockKeys } from '../../../redis-stock/redis-stock-keys.js';
import { failOver, masterWithReplica, severReplication } from '../../faults/failover.js';
import { kill } from '../../faults/kill.js';
import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { GOODS } from '../../test-bed/test-bed.js';

const KEYS = redisStockKeys(GOODS);
const STOCK = 10;
const BEFORE = 6;

/** P10: A passes the gate and dies before MySQL. Who leaves no record at the gate is missed by nobody. */
const CRASH: Experiment = {
  id: 'gate-leak',
  title: 'kill -9 between Redis and MySQL, and no record of it',
  claims: ['C10', 'P10'],
  strategy: 'gate-without-guard',
  fault: 'crash',
  expected: 'LEAKED',
  lease: 'short',
  stock: 1,
  run: (run) => playCrash(run, 0),
};

async function playCrash(run: ExperimentRun, records: number) {
  const a = run.buyer('A', 1);
  await a.runUntil(['afterGate']);
  await kill(run, a);
  const [left, found] = await run.testBed.redis.node.ask((client) =>
    Promise.all([client.get(KEYS.stock), client.hlen(KEYS.reservations)]),
  );
  run.prove('Redis has counted A', `GET ${left ?? 'nothing'}`, left === '0');
  run.prove(
    records === 0 ? 'A has left no record at the gate' : 'A has left a record at the gate',
    `HLEN ${found}`,
    found === records,
  );
  const { sold, remaining } = await run.settledAudit();
  run.prove('MySQL knows nothing of A', `${sold} sold, ${remaining} left`, sold === 0 && remaining === 1);
  const answer = await run.buyer('B', 2).finish();
  run.recorder.expectOrder('A afterGate', 'A killed', `B ${answer.kind}`);
  return {
    why:
      answer.kind === 'sold'
        ? 'The reconciler found A’s record, saw that no order had come of it, and counted the gate anew: B bought.'
        : 'The unit is in MySQL and nobody can buy it: Redis counts it as sold, and nothing says to whom.',
  };
}

/** P11: six are sold through the old master, and the promoted replica knows of none of them. */
const FAILOVER: Experiment = {
  ...CRASH,
  id: 'gate-failover',
  title: 'The promoted replica sells everything once more',
  claims: ['C10', 'C16', 'P11'],
  fault: 'failover',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: STOCK,
  run: (run) => playFailover(run, STOCK),
};

async function playFailover(run: ExperimentRun, afterwards: number) {
  const { redis } = run.testBed;
  const { master, replica } = await masterWithReplica(run);
  await run.connected(1);
  await run.stock(STOCK);
  await severReplication(run, master, replica);
  const before = await sales(run, 'A', 1, BEFORE);
  run.prove('the old master has let six pass', `${before} sold`, before === BEFORE);
  run.recorder.event('A has bought');
  await failOver(run, redis, replica);
  await run.connected(2);
  const left = await replica.ask((client) => client.get(KEYS.stock));
  run.prove('the new master counts them as unsold', `GET ${left ?? 'nothing'}`, left === String(STOCK));
  const after = await sales(run, 'B', 2, STOCK);
  run.prove(`B, who wanted ten, got ${afterwards}`, `${after} sold`, after === afterwards);
  run.recorder.expectOrder('link cut', 'A has bought', 'Redis forgot', 'B sold');
  return {
    why:
      after + before > STOCK
        ? `The new master let all ${STOCK} pass again, and MySQL took whatever came.`
        : `The new master let all ${STOCK} pass again, but MySQL sold the last ${after} and refused the others.`,
  };
}

/** One after the other; how many were sold. */
async function sales(run: ExperimentRun, name: string, instance: number, wanted: number): Promise<number> {
  let sold = 0;
  for (let n = 0; n < wanted; n += 1) {
    const { kind } = await run.buyer(name, instance).finish();
    if (kind === 'sold') sold += 1;
  }
  return sold;
}

export const GATE_WITHOUT_GUARD: readonly Experiment[] = [
  CRASH,
  {
    ...CRASH,
    id: 'gate-reconciled',
    title: 'kill -9 between Redis and MySQL, and a record of it',
    strategy: 'redis-decr',
    twinOf: CRASH.id,
    expected: 'SAFE',
    run: (run) => playCrash(run, 1),
  },
  FAILOVER,
  {
    ...FAILOVER,
    id: 'gate-failover-guarded',
    title: 'The promoted replica lets everybody pass, MySQL does not',
    strategy: 'redis-decr',
    twinOf: FAILOVER.id,
    expected: 'SAFE',
    run: (run) => playFailover(run, STOCK - BEFORE),
  },
];
