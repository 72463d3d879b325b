/**
 * What a lock costs without contention: acquire and release, compared with the textbook lock. All take turns in short
 * rounds, so that a slow moment of the machine affects all of them; a ratio is that of the median round. REDIS_URL names the
 * server. If PEERS names a folder, the packages that are installed there are also measured.
 */
import { availableParallelism, cpus } from 'node:os';
import { Redis } from 'ioredis';
import { bare, type Contender, library, redlockPackage } from './contenders.js';
import { peersIn } from './peers.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? 40);
const CYCLES = Number(process.env['CYCLES'] ?? 400);
const CLIENTS = [1, 50];

const client = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379');
const { PEERS: peers } = process.env;
const contenders: readonly Contender[] = [
  bare(client),
  ...library(client),
  redlockPackage(client),
  ...(peers === undefined ? [] : peersIn(peers, client)),
];

/** Cycles per second with this many concurrent callers, each with its own key. */
async function measure({ cycle }: Contender, callers: number): Promise<number> {
  const each = Math.ceil(CYCLES / callers);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let i = 0; i < each; i += 1) await cycle(`bench:${caller}`);
    }),
  );
  return (each * callers * 1000) / (performance.now() - started);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** The rates of every round, by contender. The first round warms up, and does not count. */
async function rounds(callers: number): Promise<ReadonlyMap<Contender, readonly number[]>> {
  const rates = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    // Each round starts with another contender: the one after the slowest has the most garbage to collect.
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const rate = await measure(contender, callers);
      if (round > 0) rates.get(contender)?.push(rate);
    }
  }
  return rates;
}

const columns: string[][] = [];
for (const callers of CLIENTS) {
  const rates = await rounds(callers);
  const byHand = rates.get(contenders[0] as Contender) ?? [];
  columns.push(
    contenders.map((contender) => {
      const own = rates.get(contender) ?? [];
      const ratio = median(own.map((rate, round) => rate / (byHand[round] ?? NaN)));
      return `${ratio.toFixed(2)} (${Math.round(median(own))}/s)`;
    }),
  );
}

const [cpu] = cpus();
console.log(
  `${availableParallelism()} × ${cpu?.model ?? 'CPU'}, Node ${process.versions.node}, Redis beside it,`,
);
console.log(
  `${ROUNDS} rounds of ${CYCLES} cycles; ratio to bare, and cycles per second, of the median round\n`,
);
console.log(`| | ${CLIENTS.map((callers) => `${callers} caller${callers > 1 ? 's' : ''}`).join(' | ')} |`);
console.log(`| --- |${' --- |'.repeat(CLIENTS.length)}`);
for (const [index, { name, close }] of contenders.entries()) {
  console.log(`| ${name} | ${columns.map((column) => column[index]).join(' | ')} |`);
  close();
}
client.disconnect();
// Some packages keep connections and timers that cannot be closed.
process.exit();
