import type { Options, Scenario } from 'k6/options';
import type { StrategyListing } from '../../src/contract/strategy.ts';
import { VERDICTS } from '../../src/contract/verdict.ts';
import { audit as audited, breaches, missing, unaudited, unexplained } from './metrics.ts';
import { breachOf, isHeldToSafety } from './promise.ts';
import { type Measured, reportOf } from './report.ts';
import type { Opened, Sale } from './sale.ts';
import { type Defaults, readSettings, type Settings, SettingsError } from './settings.ts';
import { Shop } from './shop.ts';
import { stop } from './stop.ts';
import { textOf } from './text.ts';
import { thresholds } from './thresholds.ts';

/** What all scripts share: settings, the reset before, the audit after, the thresholds and the summary. */
export class LoadTest {
  readonly settings: Settings;
  readonly shop: Shop;

  constructor(
    script: string,
    defaults: Defaults,
    private readonly slices = 0,
  ) {
    this.settings = readOrStop(script, defaults);
    this.shop = new Shop(this.settings);
  }

  /** `slots` is the largest number of sales; k6 needs it before the shop can be asked. */
  options(buyers: Scenario, slots = this.settings.goods.length): Options {
    const names = Array.from({ length: slots }, (_, index) => String(index));
    return {
      scenarios: { buyers },
      thresholds: thresholds(names, this.slices),
      summaryTrendStats: ['med', 'p(95)', 'p(99)', 'max'],
      setupTimeout: '2m',
      teardownTimeout: '5m',
      // No limit: one virtual user may have many requests in flight.
      batchPerHost: 0,
      batch: 1000,
    };
  }

  /** Opens a sale of each goods by one strategy. */
  open(): Opened {
    const [name = ''] = this.settings.strategies;
    const strategy = this.find(this.shop.strategies(), name);
    const sales = this.settings.goods.map((goodsId, index) => {
      const sale = { slot: String(index), strategy, goodsId };
      this.announce(sale);
      return this.reset(sale);
    });
    return { startedAt: Date.now(), sales, skipped: [] };
  }

  find(known: readonly StrategyListing[], name: string): StrategyListing {
    const strategy = known.find((candidate) => candidate.name === name);
    if (!strategy) {
      return stop(
        `There is no strategy ${name}. The strategies are: ${known.map((one) => one.name).join(', ')}.`,
      );
    }
    if (!strategy.available) {
      return stop(
        `${name} is not available: it needs ${strategy.needs.join(' and ')}, and not all of these servers answer.`,
      );
    }
    return strategy;
  }

  /** Starts a new run of the sale's goods. */
  reset(sale: Sale): Sale {
    return { ...sale, runId: this.shop.reset(sale.goodsId, this.settings.stock) };
  }

  /** From here on the test fails unless the sale is audited. */
  announce({ slot }: Sale): void {
    unaudited.add(1, { sale: slot });
  }

  close(opened: Opened): void {
    for (const sale of opened.sales) this.judge(sale);
  }

  /** Waits until nothing is in flight, and records the audit. */
  judge({ slot, goodsId, strategy, runId }: Sale): void {
    const tag = { sale: slot };
    const audit = this.shop.settledAudit(goodsId);
    if (!audit) {
      console.error(`orders of goods ${goodsId} stayed in flight, so there is no verdict`);
      return;
    }
    if (audit.runId !== runId) {
      console.error(`another client reset goods ${goodsId}, so there is no verdict`);
      return;
    }
    audited.verdict.add(VERDICTS.indexOf(audit.verdict), tag);
    audited.initial.add(audit.initial, tag);
    audited.sold.add(audit.sold, tag);
    audited.remaining.add(audit.remaining, tag);
    missing.add(-audit.sold, tag);
    unexplained.add(audit.sold, tag);
    const breach = breachOf(audit.verdict);
    if (breach && isHeldToSafety(strategy, this.settings.strict)) breaches[breach].add(1, tag);
    unaudited.add(-1, tag);
  }

  /** What k6 prints, and the files it writes. */
  summary(measured: Measured, headline: string): Record<string, string> {
    // The setup has stopped the test and printed the reason: an empty table would hide it.
    if (!measured.setup_data) return { stdout: '' };
    const report = reportOf(measured, this.settings, { headline, slices: this.slices });
    const colours = measured.state.isStdOutTTY && measured.options?.noColor !== true;
    const { report: file } = this.settings;
    return {
      stdout: textOf(report, colours),
      ...(file !== '' && { [file]: `${JSON.stringify(report, null, 2)}\n` }),
    };
  }
}

function readOrStop(script: string, defaults: Defaults): Settings {
  try {
    return readSettings(script, __ENV, defaults);
  } catch (error) {
    if (error instanceof SettingsError) return stop(error.message);
    throw error;
  }
}
