import { terminal } from '../terminal.js';
import { type Campaign } from './campaign.js';
import { groupBy } from './judge/group-by.js';

/** Everything that was checked and found, as data. */
export function summary({ rounds, checked, findings, recoveries }: Campaign) {
  return {
    rounds,
    checked,
    recoveries,
    findings: findings.map(({ violation, plan, plays }) => ({ seed: plan.seed, violation, plan, plays })),
  };
}

/** The slowest recovery of each strategy, by the process that failed. */
export function recoveryTable({ recoveries }: Campaign): string[] {
  const lines = [...groupBy(recoveries, ({ fault }) => fault.replace(/ \d+ ms$| for \d+ ms$/, ''))].map(
    ([fault, all]) => {
      const times = all.flatMap(({ ms }) => ms ?? []);
      const slowest = all.find(({ ms }) => ms === Math.max(...times));
      const never = all.filter(({ ms }) => ms === undefined).length;
      const worst = slowest
        ? `sold again after at most ${seconds(slowest.ms)} (${slowest.strategy})`
        : 'did not sell again';
      return `  ${fault}: ${worst}${never > 0 ? `; ${never} strategies did not sell again before the end of the round` : ''}`;
    },
  );
  return lines.length === 0 ? [] : ['Recovery after the faults:', ...lines.sort()];
}

export function conclusion({ rounds, checked, findings }: Campaign): string {
  const { calls, acknowledged, refused, unknown, lines, runs, faults } = checked;
  const counts =
    `${rounds} rounds: ${calls} calls (${acknowledged} acknowledged, ${refused} refused, ${unknown} unknown) ` +
    `compared with ${lines} lines of the ledger in ${runs} runs, with ${faults} faults`;
  return findings.length === 0
    ? `${terminal.green('✔')} ${counts}: every promise was kept.`
    : `${terminal.red('✘')} ${counts}: a promise was broken in ${findings.length} rounds.`;
}

function seconds(ms: number | undefined): string {
  return `${((ms ?? 0) / 1000).toFixed(1)} s`;
}
