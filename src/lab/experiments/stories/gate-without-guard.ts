import { redisStockKeys } from '../../../redis-stock/redis-stock-keys.js';
import { failOver, masterWithReplica, severReplication } from '../../faults/failover.js';
import { kill } from '../../faults/kill.js';
import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { GOODS } from '../../test-bed/test-bed.js';

const KEYS = redisStockKeys(GOODS);
const STOCK = 10;
const BEFORE = 6;
/** No reconciler repairs the promoted replica while B still buys, also not on a busy machine. */
const NEVER_RECONCILED = { REDIS_ORDER_TIMEOUT_MS: '600000' };

/** P10: A reserves stock in Redis and crashes before MySQL. Without a record in Redis no other process can find the lost reservation. */
const CRASH: Experiment = {
  id: 'gate-leak',
  title: 'kill -9 between Redis and MySQL, without a reservation record',
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
  await a.runUntil(['afterReservation']);
  await kill(run, a);
  const [left, found] = await run.testBed.redis.node.ask((client) =>
    Promise.all([client.get(KEYS.stock), client.hlen(KEYS.reservations)]),
  );
  run.prove('Redis has deducted A’s unit', `GET ${left ?? 'nothing'}`, left === '0');
  run.prove(
    records === 0 ? 'A left no reservation record in Redis' : 'A left a reservation record in Redis',
    `HLEN ${found}`,
    found === records,
  );
  const { sold, remaining } = await run.settledAudit();
  run.prove('MySQL has no order of A', `${sold} sold, ${remaining} left`, sold === 0 && remaining === 1);
  const answer = await run.buyer('B', 2).finish();
  run.recorder.expectOrder('A afterReservation', 'A killed', `B ${answer.kind}`);
  return {
    why:
      answer.kind === 'sold'
        ? 'The reconciler found A’s reservation without an order and rebuilt the Redis stock: B bought.'
        : 'The unit is in MySQL but cannot be bought: Redis counts it as sold, and no record says to which request.',
  };
}

/** P11: six are sold through the old master, and the promoted replica has received none of these deductions. */
const FAILOVER: Experiment = {
  ...CRASH,
  id: 'gate-failover',
  title: 'The promoted replica sells the whole stock again',
  claims: ['C10', 'C16', 'P11'],
  fault: 'failover',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: STOCK,
  run: (run) => playFailover(run, STOCK),
};

async function playFailover(run: ExperimentRun, afterwards: number) {
  const { redis, instances } = run.testBed;
  const patient = await instances.withEnvironment(NEVER_RECONCILED);
  run.replaceInstances(patient);
  await instances.freezeAllBut(...patient);
  const { master, replica } = await masterWithReplica(run);
  await run.connected(1);
  await run.stock(STOCK);
  await severReplication(run, master, replica);
  const before = await sales(run, 'A', 1, BEFORE);
  run.prove('the old master deducted six', `${before} sold`, before === BEFORE);
  run.recorder.event('A has bought');
  await failOver(run, redis, replica);
  await run.connected(2);
  const left = await replica.ask((client) => client.get(KEYS.stock));
  run.prove(
    'the new master has none of these deductions',
    `GET ${left ?? 'nothing'}`,
    left === String(STOCK),
  );
  const after = await sales(run, 'B', 2, STOCK);
  run.prove(`B sends ten requests and ${afterwards} are sold`, `${after} sold`, after === afterwards);
  run.recorder.expectOrder('link cut', 'A has bought', 'Redis forgot', 'B sold');
  return {
    why:
      after + before > STOCK
        ? `The new master deducted all ${STOCK} again, and MySQL wrote every order.`
        : `The new master deducted all ${STOCK} again, but MySQL sold only the last ${after} and refused the others.`,
  };
}

/** Sends the purchases one after the other; returns how many were sold. */
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
    title: 'kill -9 between Redis and MySQL, with a reservation record',
    strategy: 'redis-decr',
    twinOf: CRASH.id,
    expected: 'SAFE',
    run: (run) => playCrash(run, 1),
  },
  FAILOVER,
  {
    ...FAILOVER,
    id: 'gate-failover-guarded',
    title: 'The promoted replica accepts every order, MySQL does not',
    strategy: 'redis-decr',
    twinOf: FAILOVER.id,
    expected: 'SAFE',
    run: (run) => playFailover(run, STOCK - BEFORE),
  },
];
