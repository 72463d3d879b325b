import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from '../../engines/redis.js';
import { whenAborted } from '../../interruption.js';
import { Latencies } from '../../load/latencies.js';
import { freePort } from '../../ports.js';
import { ProcessReaper } from '../../processes/process-reaper.js';
import { CONTENDED, UNCONTENDED } from '../bars.js';
import { watchUtilization } from '../limits.js';
import { type PartReport, type TableReport } from '../report.js';
import { type BenchStep, takeTurns, type Turns } from '../turns.js';
import { peerPackages } from './peer-packages.js';
import { LockWorkers } from './workers.js';

const CALLERS = { 1: [1, 10, 50, 200], 3: [10, 50, 200] } as const;
const PROCESSES = 3;
/** They differ from the others only without contention. */
const UNCONTENDED_ONLY = /watchdog|, read$/;

/** How fast the locks are, beside other packages, on a Redis of their own that keeps nothing on the disk. */
export async function hotLock(turns: Turns): Promise<PartReport | undefined> {
  const peers = await peerPackages(turns.stop);
  if (turns.stop.aborted) return undefined;
  const reaper = new ProcessReaper();
  const folder = mkdtempSync(join(tmpdir(), 'lockstock-bench-locks-'));
  reaper.addFile(folder);
  try {
    const redis = new Redis({
      ...{
        folder: join(folder, 'redis'),
        logFile: join(folder, 'redis.log'),
        port: await freePort(),
        reaper,
      },
      ...{ servicePassword: 'unused', labPassword: 'bench', settings: ['appendonly no'] },
    });
    const started = redis.launch().then(() => {
      return LockWorkers.start(PROCESSES, { REDIS_URL: redis.labUrl, PEERS: peers ?? '' }, reaper);
    });
    const workers = await Promise.race([started, whenAborted(turns.stop)]);
    return workers ? await measured(workers, turns, peers === undefined) : undefined;
  } finally {
    await reaper.close();
  }
}

async function measured(workers: LockWorkers, turns: Turns, noPeers: boolean): Promise<PartReport> {
  const { contenders, missing } = workers.announcement;
  const tables: TableReport[] = [];
  const notes = [
    'Each caller acquires and releases in a loop and holds the lock for no time: only the lock itself is measured.',
    'Redis runs without a file. Packages that poll try again every 2 ms; the waits of callers that were never served count, too.',
    ...(noPeers
      ? ['The other packages could not be installed.']
      : missing.map((one) => `Not measured: ${one}`)),
  ];
  // Short and often: the differences are small.
  const shortTurns = { ...turns, rounds: turns.rounds * 4, seconds: turns.seconds / 2 };
  const alone = contenders.map((name) => stepOf(workers, { name, processes: 1 }, shortTurns, notes));
  const points = await takeTurns(alone, shortTurns);
  tables.push({ title: UNCONTENDED, unit: 'cycles per second', relativeTo: ['bare SET NX'], points });
  const inContention = contenders.filter((name) => !UNCONTENDED_ONLY.test(name));
  for (const processes of [1, 3] as const) {
    const steps = inContention.flatMap((name) =>
      CALLERS[processes].map((x) => stepOf(workers, { name, processes, x }, turns, notes)),
    );
    const curve = await takeTurns(steps, turns);
    tables.push({
      ...{ title: CONTENDED[processes], unit: 'cycles per second' },
      ...{ axis: 'waiters', points: curve },
    });
  }
  return { name: 'locks', tables, notes };
}

interface Measurement {
  readonly name: string;
  readonly processes: number;
  readonly x?: number;
}

/** Every measurement has a key of its own: a caller that was never served may still wait for the key before. */
let keys = 0;

function stepOf(
  workers: LockWorkers,
  { name, processes, x }: Measurement,
  { seconds }: Turns,
  notes: string[],
): BenchStep {
  return {
    ...{ name, ...(x !== undefined && { x }) },
    measure: async (stop) => {
      keys += 1;
      const trial = { contender: name, key: `bench:${keys}`, callers: x ?? 1, seconds };
      const utilization = watchUtilization();
      const results = await workers.run(trial, processes);
      if (stop.aborted) return undefined;
      const waits = new Latencies();
      for (const result of results) for (const ms of result.waits) waits.record(ms);
      const cycles = results.reduce((sum, result) => sum + result.cycles, 0);
      const starved = results.reduce((sum, result) => sum + result.starved, 0);
      for (const { error } of results) {
        const note = `${name}: ${error ?? ''}`;
        if (error !== undefined && !notes.includes(note)) notes.push(note);
      }
      return {
        ...{ value: cycles / seconds, p99: waits.at(99), utilization: utilization() },
        facts: { starved },
      };
    },
  };
}
