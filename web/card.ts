import { type Audit, type Strategy } from './api.js';
import { element } from './dom.js';
import { OUTCOMES, type Sale } from './sale.js';

const PROMISES = {
  always: ['good', 'always safe'],
  'while-the-lease-holds': ['warn', 'safe while the lease holds'],
  'one-process': ['warn', 'safe in one process'],
  never: ['bad', 'never safe'],
} as const;

/** A strategy, the button that sells with it, and room for what came of it. */
export class Card {
  readonly root: HTMLElement;
  readonly button = element('button', '');
  /** Outside the live region: a screen reader is told the result, not every step towards it. */
  readonly progress = element('progress', '');
  readonly result = element('div', 'result');

  constructor(readonly strategy: Strategy) {
    const { name, title, teaches, needs, available } = strategy;
    const [tone, promise] = PROMISES[strategy.safe];
    this.root = element(
      'article',
      available ? 'card' : 'card unavailable',
      element('h3', '', title),
      element('p', 'labels', element('code', '', name), element('span', `badge ${tone}`, promise)),
      element('p', '', teaches),
      available ? '' : element('p', 'note', `Not available: it needs ${needs.join(' and ')} up.`),
      ...[this.button, this.progress, this.result],
    );
    this.button.disabled = !available;
    this.progress.hidden = true;
    this.progress.ariaLabel = 'Answers';
    this.result.ariaLive = 'polite';
  }

  label(buyers: string, selling: boolean): void {
    this.button.textContent = `Sell ${buyers}`;
    this.button.ariaLabel = `Sell ${buyers} with ${this.strategy.title}`;
    // Not `disabled`, which would take the keyboard's focus away from the button just pressed.
    this.button.ariaDisabled = String(selling);
  }
}

export function saleReport({ outcomes, instances, reasons }: Sale): HTMLElement[] {
  const counts = OUTCOMES.map((outcome) =>
    element('div', '', element('dt', '', outcome), element('dd', '', String(outcomes.get(outcome) ?? 0))),
  );
  const sellers = [...instances].map(([name, sales]) => `${name} (${sales})`).sort();
  const named = sellers.map((seller) => element('span', '', seller));
  return [
    element('dl', 'counts', ...counts),
    element('p', 'labels', named.length ? 'Sold by' : 'Sold by no instance', ...named),
    ...[...reasons].map(([reason, times]) => element('p', 'note', `${times} × ${reason}`)),
  ];
}

/** `before` is the audit from just before the sale: the ledger never forgets, so an old fault stays in the verdict. */
export function auditReport(goodsName: string, before: Audit, after: Audit): HTMLElement[] {
  const { verdict, runId, initial, sold, remaining, oversoldBy } = after;
  const failed = after.invariants
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => element('li', '', element('code', '', name), `: ${detail}`));
  const numbers = `${sold} sold of ${initial}, ${remaining} remaining, oversold by ${oversoldBy}`;
  const spoilt = before.runId === runId && before.verdict !== 'SAFE';
  const warning = `The run was ${before.verdict} before this click already, so this says nothing about this lock. To judge it alone, start a new run or choose other goods.`;
  return [
    element(
      'div',
      `verdict ${verdict === 'SAFE' ? 'good' : spoilt ? 'warn' : 'bad'}`,
      element('strong', '', verdict),
      spoilt ? element('p', '', warning) : '',
      element('p', '', numbers),
      element('ul', '', ...failed),
    ),
    element('p', 'note', `The verdict is on all of run ${runId} of ${goodsName}, not on this click only.`),
  ];
}
