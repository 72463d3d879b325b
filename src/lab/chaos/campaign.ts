import { setMaxListeners } from 'node:events';
import { type StrategyListing } from '../../contract/strategy.js';
import { terminal } from '../terminal.js';
import { type ChaosEvidence } from './evidence.js';
import { type Checked, judge, type RoundJudgement } from './judge/judge.js';
import { type Violation } from './judge/violation.js';
import { type Plan } from './plan/plan.js';
import { shrink } from './plan/shrink.js';
import { recoveries, type Recovery } from './recovery.js';
import { type ChaosFinding } from './report.js';
import { playRound } from './run/round.js';
import { type ChaosSystem } from './run/system.js';

/** How often a smaller plan is tried before it counts as harmless: real servers are not deterministic. */
const PLAYS_PER_CANDIDATE = 3;

export interface CampaignOptions {
  readonly strategies: readonly StrategyListing[];
  /** The time limit for shrinking a plan. */
  readonly shrinkSeconds: number;
  readonly stop: AbortSignal;
}

/** Executes plans on one system, judges each history, and shrinks the plans that break a promise. */
export class Campaign {
  readonly findings: ChaosFinding[] = [];
  readonly recoveries: Recovery[] = [];
  rounds = 0;
  checked: Checked = { calls: 0, acknowledged: 0, refused: 0, unknown: 0, lines: 0, runs: 0, faults: 0 };

  constructor(
    private readonly system: ChaosSystem,
    private readonly options: CampaignOptions,
  ) {
    // Every client that waits listens to it.
    setMaxListeners(0, options.stop);
  }

  /** Executes one round. True when every promise was kept. */
  async play(plan: Plan): Promise<boolean> {
    const { evidence, judgement } = await this.playAndJudge(plan);
    this.rounds += 1;
    this.checked = added(this.checked, judgement.checked);
    this.recoveries.push(...recoveries(evidence));
    terminal.say(lineOf(plan, judgement));
    const [violation] = judgement.violations;
    if (!violation) return true;
    for (const { promise, sentence } of judgement.violations) terminal.say(`  ${promise}: ${sentence}`);
    this.findings.push(await this.shrunk({ violation, plan, evidence, original: plan, plays: 0 }));
    return false;
  }

  private async playAndJudge(plan: Plan): Promise<{ evidence: ChaosEvidence; judgement: RoundJudgement }> {
    const evidence = await playRound(plan, this.system, this.options.strategies, this.options.stop);
    return { evidence, judgement: judge(evidence) };
  }

  private async shrunk(found: ChaosFinding): Promise<ChaosFinding> {
    const { shrinkSeconds, stop } = this.options;
    if (shrinkSeconds === 0 || stop.aborted) return found;
    terminal.say(`  shrinking the plan for up to ${shrinkSeconds} s …`);
    let finding = found;
    const endAt = performance.now() + 1000 * shrinkSeconds;
    const over = () => stop.aborted || performance.now() >= endAt;
    const stillFails = async (plan: Plan) => {
      for (let play = 0; play < PLAYS_PER_CANDIDATE && !over(); play += 1) {
        const { evidence, judgement } = await this.playAndJudge(plan);
        finding = { ...finding, plays: finding.plays + 1 };
        const violation = judgement.violations.find((other) => isSame(other, found.violation));
        if (violation) {
          finding = { ...finding, violation, plan, evidence };
          return true;
        }
      }
      return false;
    };
    await shrink(found.plan, stillFails, over);
    return finding;
  }
}

function isSame({ promise, goodsId }: Violation, as: Violation): boolean {
  return promise === as.promise && goodsId === as.goodsId;
}

function lineOf({ seed, goods, faults, clients }: Plan, { checked, found }: RoundJudgement): string {
  const strategies = new Set(goods.flatMap((one) => one.strategies));
  const mixed = goods.some((one) => one.strategies.length > 1) ? 'mixed' : 'single';
  const outcomes = `${checked.calls} calls (${checked.refused} refused, ${checked.unknown} unknown), ${checked.lines} lines`;
  const verdict = found === 0 ? terminal.green('clean') : terminal.red(`${found} violations`);
  return `seed ${seed}: ${mixed}, ${strategies.size} strategies, ${clients.length} clients, ${faults.length} faults: ${outcomes}: ${verdict}`;
}

function added(a: Checked, b: Checked): Checked {
  const names = Object.keys(a) as (keyof Checked)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as unknown as Checked;
}
