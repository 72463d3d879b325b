import { type PrivateSystem, type PrivateSystemOptions, withPrivateSystem } from '../private-system.js';
import { terminal } from '../terminal.js';
import { BARE_SERVICE, hotRow, INSTANCES, ONLY } from './http/hot-row.js';
import { MOST_INSTANCES, scaling, SEGMENT_GROUPS } from './http/scaling.js';
import { hotLock } from './locks/hot-lock.js';
import { type BenchOptions } from './options.js';
import { type PartName, type PartReport } from './report.js';
import { auditCost } from './service/audit-cost.js';
import { instanceStart } from './service/instance-start.js';
import { soak } from './service/soak.js';
import { type Progress, type Turns } from './turns.js';

interface Part {
  readonly rounds: number;
  /** The length of one measurement. */
  readonly seconds: number;
  readonly measure: (turns: Turns, options: BenchOptions) => Promise<PartReport | undefined>;
}

const PARTS: Readonly<Record<PartName, Part>> = {
  http: onSystem({ instances: INSTANCES, only: ONLY, groups: [BARE_SERVICE] }, hotRow, 5),
  locks: { rounds: 3, seconds: 0.4, measure: hotLock },
  scaling: onSystem({ instances: MOST_INSTANCES, only: ONLY, groups: SEGMENT_GROUPS }, scaling, 2, 1),
  soak: onSystem({ instances: INSTANCES, only: ONLY }, soak),
  start: onSystem({ instances: 1, only: ONLY }, instanceStart, 5),
  audit: onSystem({ instances: 1, only: ONLY }, auditCost),
};

/** A part that is measured on a private system with these servers and instances. */
function onSystem(
  system: Omit<PrivateSystemOptions, 'report'>,
  measure: (system: PrivateSystem, turns: Turns, options: BenchOptions) => Promise<PartReport>,
  rounds = 3,
  seconds = 2,
): Part {
  const report = (message: string) => {
    terminal.warn(message);
  };
  return {
    ...{ rounds, seconds },
    measure: (turns, options) =>
      withPrivateSystem({ ...system, report }, turns.stop, (started) => measure(started, turns, options)),
  };
}

/** Runs one part after the other, each on servers of its own, until all are done or `stop` is aborted. */
export async function runParts(options: BenchOptions, stop: AbortSignal): Promise<PartReport[]> {
  const reports: PartReport[] = [];
  for (const name of options.parts) {
    const part = PARTS[name];
    if (stop.aborted) break;
    terminal.say(`${name}: starting private servers …`);
    const report = await part.measure(turnsOf(name, part, options, stop), options);
    terminal.rewrite('');
    if (report) reports.push(report);
  }
  return reports;
}

function turnsOf(name: PartName, part: Part, options: BenchOptions, stop: AbortSignal): Turns {
  const rounds = options.rounds ?? (options.quick ? 1 : part.rounds);
  const seconds = options.seconds ?? (options.quick ? Math.min(1, part.seconds / 2) : part.seconds);
  let startedAt = performance.now();
  return {
    ...{ rounds, seconds, warmUp: !options.quick, stop },
    onStep: (progress) => {
      if (progress.done === 0) startedAt = performance.now();
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
