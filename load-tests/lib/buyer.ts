import { sleep } from 'k6';
import { duplicates, elapsed, ended, missing, sent, unexplained } from './metrics.ts';
import { type Outcome, outcomeOfCopies } from './outcome.ts';
import type { Purchase, Shop } from './shop.ts';

export interface Manner {
  /** How often a buyer retries after 503 or 429. */
  readonly retries: number;
  /** When the sale was opened. */
  readonly openedAt: number;
}

const LONGEST_PAUSE_S = 0.5;

/** Makes one purchase, with its retries, and counts the outcome. */
export function buy(shop: Shop, purchase: Purchase, manner: Manner): Outcome {
  begin(purchase);
  let outcome = shop.buy(purchase);
  for (let time = 0; outcome.kind === 'refused' && time < manner.retries; time += 1) {
    sleep(Math.random() * LONGEST_PAUSE_S);
    outcome = shop.buy(purchase);
  }
  end(purchase, outcome, manner);
  return outcome;
}

export async function buyAsync(shop: Shop, purchase: Purchase, manner: Manner): Promise<void> {
  begin(purchase);
  end(purchase, await shop.buyAsync(purchase), manner);
}

/** Makes one purchase with one key: sends it many times at once, and repeats that until the outcome is known. */
export function storm(shop: Shop, purchase: Purchase, copies: number, manner: Manner): void {
  begin(purchase);
  const answers: Outcome[] = [];
  for (let time = 0; ; time += 1) {
    answers.push(...shop.buyCopies(purchase, copies));
    const { outcome, duplicates: twice } = outcomeOfCopies(answers);
    const open = outcome.kind === 'refused' || outcome.kind === 'unknown';
    if (open && time < manner.retries) {
      sleep(Math.random() * LONGEST_PAUSE_S);
      continue;
    }
    if (twice > 0) duplicates.add(twice, { sale: purchase.lines[0].sale.slot });
    end(purchase, outcome, manner);
    return;
  }
}

/** From here on the ledger may have the order: if the run is cut off now, the outcome is unknown. */
function begin({ lines, tags = {} }: Purchase): void {
  for (const { sale, quantity } of lines) {
    sent.add(1, { ...tags, sale: sale.slot });
    unexplained.add(-quantity, { sale: sale.slot });
  }
}

function end({ lines, tags = {} }: Purchase, outcome: Outcome, { openedAt }: Manner): void {
  for (const { sale, quantity } of lines) {
    const tag = { ...tags, sale: sale.slot };
    ended[outcome.kind].add(1, outcome.kind === 'unexpected' ? { ...tag, answer: outcome.what } : tag);
    if (outcome.kind === 'ok') missing.add(quantity, tag);
    if (outcome.kind === 'sold-out' || outcome.kind === 'refused') unexplained.add(quantity, tag);
    elapsed.add((Date.now() - openedAt) / 1000, tag);
  }
  if (outcome.kind === 'unexpected') complain(outcome.what);
}

const complaints = new Set<string>();

/** Once per virtual user and kind of answer: a broken shop gives thousands of them. */
function complain(what: string): void {
  if (!complaints.has(what)) console.error(`unexpected answer: ${what}`);
  complaints.add(what);
}
