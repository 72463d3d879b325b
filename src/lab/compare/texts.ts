import { whole } from '../report/numbers.js';
import { type Comparison } from './comparison.js';

/** How the report was measured, for all formats. */
export function introduction({ loads: { verdict, speed } }: Comparison): string[] {
  return [
    `Verdict: ${whole(verdict.buyers)} buyers at once make ${whole(verdict.requests ?? 0)} purchases of a stock of ` +
      `${whole(verdict.stock)}, and the ledger gives the verdict.`,
    `Speed: ${whole(speed.buyers)} buyers, each with one request at a time, buy from a stock that does not run out, ` +
      `${speed.rounds} × ${speed.seconds} s per strategy, in alternating rounds, so that a disturbance affects all strategies alike. ` +
      'The ledger also judges every round.',
    'A purchase lasts from its first request to its outcome, including the wait before a retry.',
    'All buyers buy the same goods, which is the worst case for a lock. The buyers, the gateway, the instances and ' +
      'the stores share one machine. Compare the numbers of one report with each other, not with those of another machine.',
  ];
}

export function machineLine({ machine }: Comparison): string {
  const { cores, memoryGib, node, database, redis, nginx, loadAverageBefore } = machine;
  return (
    `${cores} cores, ${memoryGib} GiB, Node ${node}, ${database}, Redis ${redis}, nginx ${nginx}; ` +
    `load average before the start: ${loadAverageBefore}` +
    (loadAverageBefore > cores ? ' (other programs were running: the numbers are low and noisy)' : '')
  );
}

export function madeBy({ command, startedAt, durationMs, complete }: Comparison): string {
  const minutes = (durationMs / 60_000).toFixed(1);
  const day = startedAt.slice(0, 10);
  return `Made by \`${command}\` on ${day} in ${minutes} minutes${complete ? '' : ' (stopped before the end)'}.`;
}

export function instancesTitle(instances: number): string {
  return instances === 1 ? 'One instance' : `${instances} instances`;
}

/** Results and no-op of each number of instances, the fastest first. */
export function byInstances({ results, noop }: Comparison) {
  const counts = [...new Set(results.map(({ instances }) => instances))].sort((a, b) => a - b);
  return counts.map((instances) => ({
    instances,
    noop: noop.find((speed) => speed.instances === instances),
    rows: results
      .filter((result) => result.instances === instances)
      .sort((a, b) => b.throughput - a.throughput),
  }));
}
