/**
 * One process of the benchmark: it lets callers acquire and release one key for a while and answers what they measured. Its
 * parent sends one request at a time. REDIS_URL names the server, PEERS the folder with other packages.
 */
import { Redis } from 'ioredis';
import { bare, type Contender, library } from './contenders.js';
import { peersIn } from './peers.js';

export interface Announcement {
  readonly contenders: readonly string[];
  readonly missing: readonly string[];
}

export interface Trial {
  readonly contender: string;
  readonly key: string;
  readonly callers: number;
  readonly seconds: number;
}

export interface TrialResult {
  readonly cycles: number;
  /** Milliseconds that each caller waited for the lock; also those who still wait at the end. */
  readonly waits: readonly number[];
  /** Callers that never got the lock. */
  readonly starved: number;
  readonly error?: string;
}

/** Waiters that are not served within this time after the end are counted with the time that they have waited. */
const GRACE_MS = 300;

const { REDIS_URL = 'redis://127.0.0.1:6379', PEERS = '' } = process.env;
const client = new Redis(REDIS_URL);
const peers = await peersIn(PEERS, client);
const contenders = new Map<string, Contender>(
  [bare(client), ...library(client), ...peers.contenders].map((contender) => [contender.name, contender]),
);

async function run({ contender: name, key, callers, seconds }: Trial): Promise<TrialResult> {
  const contender = contenders.get(name);
  if (!contender) throw new Error(`There is no contender ${name}.`);
  const waits: number[] = [];
  const waitingSince: (number | undefined)[] = Array.from({ length: callers }, () => undefined);
  const served: boolean[] = Array.from({ length: callers }, () => false);
  let cycles = 0;
  let error: string | undefined;
  const end = performance.now() + seconds * 1000;
  const all = waitingSince.map(async (_, caller) => {
    while (performance.now() < end) {
      const asked = performance.now();
      waitingSince[caller] = asked;
      const release = await contender.acquire(key);
      waitingSince[caller] = undefined;
      waits.push(performance.now() - asked);
      if (performance.now() < end) {
        served[caller] = true;
        cycles += 1;
      }
      await release();
    }
  });
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000 + GRACE_MS);
  });
  const done = Promise.all(all).catch((reason: unknown) => {
    error = reason instanceof Error ? reason.message : String(reason);
  });
  await Promise.race([done, grace]);
  clearTimeout(timer);
  const late = waitingSince.flatMap((since) => (since === undefined ? [] : [performance.now() - since]));
  return {
    ...{ cycles, waits: [...waits, ...late], starved: served.filter((was) => !was).length },
    ...(error !== undefined && { error }),
  };
}

process.on('message', (trial: Trial) => {
  void run(trial).then((result) => process.send?.(result));
});
// The parent was ended: no process reads the results.
process.on('disconnect', () => {
  process.exit();
});
process.send?.({ contenders: [...contenders.keys()], missing: peers.missing } satisfies Announcement);
