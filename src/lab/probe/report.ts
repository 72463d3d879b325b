import { terminal } from '../terminal.js';
import { type ProbeOptions } from './options.js';
import { type ProbeResult } from './probe.js';
import { BROKEN, type JudgedRound } from './verdict.js';

/** One round, as a line. */
export function roundLine({ outcomes, before, after, contention, ms, verdict }: JudgedRound, number: number) {
  const counted = Object.entries(counts(outcomes)).filter(([, count]) => count > 0);
  const parts = [
    counted.map(([kind, count]) => `${count} ${kind}`).join(', '),
    ...(before === undefined || after === undefined ? [] : [`stock ${before} → ${after}`]),
    `${contention.inFlight} in flight at once, ${contention.overtaking} overtook`,
    `${Math.round(ms)} ms`,
  ];
  return `round ${number}: ${parts.join('; ')}  ${painted(verdict.finding)}`;
}

export function conclusion({ verdict, why }: Pick<ProbeResult, 'verdict' | 'why'>): string {
  return `${painted(verdict)}: ${why}`;
}

/** For `--json`: no header, because headers carry secrets. */
export function jsonReport(
  { verdict, why, rounds }: ProbeResult,
  { buy, stock, supply, quantity, buyers }: ProbeOptions,
): string {
  const report = {
    format: 1,
    verdict,
    why,
    buy: `${buy.method} ${buy.url}`,
    ...(stock && { stock: `${stock.request.method} ${stock.request.url} ${stock.path.text}` }),
    ...(supply !== undefined && { supply }),
    quantity,
    buyers,
    rounds: rounds.map(({ limit, before, after, outcomes, unconnected, contention, ms, verdict: of }) => ({
      ...{ verdict: of.finding, why: of.why, limit, before, after },
      ...{ ...counts(outcomes), unconnected, ...contention, ms: Math.round(ms) },
    })),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

function counts(outcomes: JudgedRound['outcomes']): Readonly<Record<string, number>> {
  const counted = { sold: 0, refused: 0, unclear: 0, unanswered: 0 };
  for (const { kind } of outcomes) counted[kind] += 1;
  return counted;
}

function painted(finding: string): string {
  if (BROKEN.includes(finding)) return terminal.red(finding);
  return finding === 'HELD' ? terminal.green(finding) : terminal.bold(finding);
}
