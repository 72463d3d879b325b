import { loadAverage } from '../compare/machine.js';
import { type PrivateSystem, type PrivateSystemOptions, withPrivateSystem } from '../private-system.js';
import { terminal } from '../terminal.js';
import { BARE_SERVICE, hotRow, INSTANCES, ONLY } from './http/hot-row.js';
import { describeBenchMachine } from './machine.js';
import { type BenchOptions } from './options.js';
import { type BenchMachine, type PartName, type PartReport } from './report.js';
import { type Progress, type Turns } from './turns.js';

/** One part: the system that it needs, and what it measures there. */
interface Part {
  readonly system: Omit<PrivateSystemOptions, 'report'>;
  readonly rounds: number;
  readonly measure: (system: PrivateSystem, options: BenchOptions, turns: Turns) => Promise<PartReport>;
}

const PARTS: Readonly<Partial<Record<PartName, Part>>> = {
  http: { system: { instances: INSTANCES, only: ONLY, groups: [BARE_SERVICE] }, rounds: 5, measure: hotRow },
};

export interface Parts {
  readonly parts: readonly PartReport[];
  /** Undefined when the run was interrupted before any server was up. */
  readonly machine: BenchMachine | undefined;
}

/** Runs one part after the other, each on servers of its own, until all are done or `stop` is aborted. */
export async function runParts(options: BenchOptions, stop: AbortSignal): Promise<Parts> {
  const loadBefore = loadAverage();
  const parts: PartReport[] = [];
  let machine: BenchMachine | undefined;
  for (const name of options.parts) {
    const part = PARTS[name];
    if (!part || stop.aborted) continue;
    terminal.say(`${name}: starting private servers and instances …`);
    const report = (message: string) => {
      terminal.warn(message);
    };
    const measured = await withPrivateSystem({ ...part.system, report }, stop, async (system) => {
      machine ??= await describeBenchMachine(system.servers.addresses, loadBefore);
      return part.measure(system, options, turnsOf(name, part, options, stop));
    });
    terminal.rewrite('');
    if (measured) parts.push(measured);
  }
  return { parts, machine };
}

function turnsOf(name: PartName, part: Part, options: BenchOptions, stop: AbortSignal): Turns {
  const rounds = options.rounds ?? (options.quick ? 1 : part.rounds);
  const startedAt = performance.now();
  return {
    ...{ rounds, warmUp: !options.quick, stop },
    onStep: (progress) => {
      show(name, progress, (performance.now() - startedAt) / 1000);
    },
  };
}

/** On a terminal the current measurement, otherwise one line per round. */
function show(
  part: PartName,
  { step, round, rounds, done, all, beginsRound }: Progress,
  elapsedS: number,
): void {
  const left = done === 0 ? '' : `, about ${Math.ceil(((elapsedS / done) * (all - done)) / 60)} min left`;
  const title = round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;
  terminal.rewrite(`${part}, ${title}, ${done + 1} of ${all}${left}: ${step}`);
  if (!process.stderr.isTTY && beginsRound) terminal.say(`${part}: ${title}${left}`);
}
