import { ask } from '../engines/redis.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type TcpProxy } from '../tcp-proxy.js';

/** Delays every reply of the database to the instances. */
export async function slowDatabase(run: ExperimentRun, delayMs: number): Promise<void> {
  const { databaseWire: wire } = run.testBed;
  run.recorder.addActor({ id: 'mysql', kind: 'mysql', label: 'MySQL' });
  const connection = await run.testBed.connect(wire.port);
  try {
    await slowDown(run, { wire, lane: 'mysql', delayMs }, () => connection.query('SELECT 1'));
  } finally {
    connection.destroy();
  }
}

/** Delays every reply of Redis to the instances. */
export function slowRedis(run: ExperimentRun, delayMs: number): Promise<void> {
  const { wire, labUrl } = run.testBed.redis;
  const slowness = { wire, lane: 'redis', delayMs } as const;
  return ask(labUrl, (client) => slowDown(run, slowness, () => client.ping()), 10 * delayMs);
}

interface Slowness {
  readonly wire: TcpProxy;
  readonly lane: 'mysql' | 'redis';
  readonly delayMs: number;
}

/** `roundTrip` sends a command through the proxy on an open connection. */
async function slowDown(
  run: ExperimentRun,
  { wire, lane, delayMs }: Slowness,
  roundTrip: () => Promise<unknown>,
): Promise<void> {
  const before = await timed(roundTrip);
  wire.set({ answers: { delayMs } });
  const after = await timed(roundTrip);
  run.fault(lane, `every reply is delayed by ${delayMs} ms`, `${lane} slow`);
  run.proveFault(
    'latency',
    `a reply takes ${delayMs} ms longer`,
    `${before} ms, then ${after} ms`,
    // A timer may be a millisecond early.
    after >= delayMs - 1 && wire.intercepted > 0,
  );
}

/** Ends the delay and waits until the delayed replies have arrived. */
export async function speedUp(
  run: ExperimentRun,
  { lane, wire }: Pick<Slowness, 'lane' | 'wire'>,
): Promise<void> {
  wire.set({ answers: 'pass' });
  await wire.quiet();
  run.fault(lane, 'replies are no longer delayed', `${lane} fast`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return Math.round(performance.now() - started);
}
