import { readFileSync } from 'node:fs';
import { Target } from '../../load/target.js';
import { type PrivateSystem } from '../../private-system.js';
import { terminal } from '../../terminal.js';
import { sellBy } from '../http/load.js';
import { type BenchOptions } from '../options.js';
import { type PartReport, type Point } from '../report.js';
import { growthPerHour, type MemorySample, rounded } from '../statistics.js';
import { type Turns } from '../turns.js';

const STRATEGIES = ['redis-lua', 'batch', 'for-update', 'reentrant'];
const SAMPLES = 60;
const SHORTEST_SLICE_S = 3;

/** Sells for minutes without a pause, with one strategy after the other, and samples the memory of every instance. */
export async function soak(
  { shop }: PrivateSystem,
  { stop }: Turns,
  { buyers, minutes }: BenchOptions,
): Promise<PartReport> {
  const target = await Target.open(shop.url, shop.adminToken);
  const seconds = Math.max(SHORTEST_SLICE_S, (minutes * 60) / SAMPLES);
  const samples = new Map<string, MemorySample[]>(shop.instances.map(({ name }) => [name, []]));
  const startedAt = performance.now();
  let sold = 0;
  for (let slice = 0; !stop.aborted; slice += 1) {
    const minute = (performance.now() - startedAt) / 60_000;
    if (minute >= minutes) break;
    const strategy = STRATEGIES[slice % STRATEGIES.length] ?? '';
    terminal.rewrite(`soak, minute ${minute.toFixed(1)} of ${minutes}: ${strategy}`);
    if (!process.stderr.isTTY && slice % 10 === 0)
      terminal.say(`soak: minute ${minute.toFixed(1)} of ${minutes}`);
    const measured = await sellBy(target, strategy, { buyers, seconds }, stop);
    sold += (measured?.value ?? 0) * seconds;
    for (const { name, pid } of shop.instances)
      samples
        .get(name)
        ?.push({ minute: rounded((performance.now() - startedAt) / 60_000), mib: memoryOf(pid) });
  }
  return {
    name: 'soak',
    tables: [{ title: 'Memory', unit: 'MiB', axis: 'minutes', points: pointsOf(samples) }],
    notes: [
      `${Math.round(sold).toLocaleString('en')} sales with ${STRATEGIES.join(', ')} in turn; ${shop.instances.length} instances, ${buyers} buyers.`,
      ...[...samples].map(([name, all]) => growthNote(name, all)),
    ],
  };
}

function growthNote(name: string, samples: readonly MemorySample[]): string {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || samples.length < 4) return `${name}: too few samples for its growth.`;
  return (
    `${name}: ${first.mib} MiB after the first slice, ${last.mib} MiB at the end; ` +
    `in the second half ${growthPerHour(samples).toFixed(1)} MiB per hour.`
  );
}

function pointsOf(samples: ReadonlyMap<string, readonly MemorySample[]>): Point[] {
  return [...samples].flatMap(([name, all]) =>
    all.map(({ minute, mib }) => ({ name, x: minute, rounds: [mib] })),
  );
}

/** The resident memory of a process. */
function memoryOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
