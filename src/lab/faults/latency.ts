import { ask } from '../engines/redis.js';
import { type Scene } from '../experiments/scene.js';
import { type TcpProxy } from './tcp-proxy.js';

/** Every answer of the database reaches the instances so much later. */
export async function slowDatabase(scene: Scene, delayMs: number): Promise<void> {
  const { databaseWire: wire } = scene.stage;
  scene.recorder.meet({ id: 'mysql', kind: 'mysql', label: 'MySQL' });
  const connection = await scene.stage.connect(wire.port);
  try {
    await slowDown(scene, { wire, lane: 'mysql', delayMs }, () => connection.query('SELECT 1'));
  } finally {
    connection.destroy();
  }
}

/** Every answer of Redis reaches the instances so much later. */
export function slowRedis(scene: Scene, delayMs: number): Promise<void> {
  const { wire, labUrl } = scene.stage.redis;
  const slowness = { wire, lane: 'redis', delayMs } as const;
  return ask(labUrl, (client) => slowDown(scene, slowness, () => client.ping()), 10 * delayMs);
}

interface Slowness {
  readonly wire: TcpProxy;
  readonly lane: 'mysql' | 'redis';
  readonly delayMs: number;
}

/** `roundTrip` asks something over the wire, on a connection that stands already. */
async function slowDown(
  scene: Scene,
  { wire, lane, delayMs }: Slowness,
  roundTrip: () => Promise<unknown>,
): Promise<void> {
  const before = await timed(roundTrip);
  wire.set({ answers: { delayMs } });
  const after = await timed(roundTrip);
  scene.fault(lane, `every answer takes ${delayMs} ms longer`, `${lane} slow`);
  scene.proveFault(
    'latency',
    `an answer takes ${delayMs} ms longer`,
    `${before} ms, then ${after} ms`,
    // A timer may be a millisecond early.
    after >= delayMs - 1 && wire.intercepted > 0,
  );
}

/** Answers arrive as soon as they are sent, once those have arrived that are under way. */
export async function speedUp(scene: Scene, { lane, wire }: Pick<Slowness, 'lane' | 'wire'>): Promise<void> {
  wire.set({ answers: 'pass' });
  await wire.quiet();
  scene.fault(lane, 'answers arrive at once again', `${lane} fast`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return Math.round(performance.now() - started);
}
