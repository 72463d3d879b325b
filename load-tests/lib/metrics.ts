import { Counter, Gauge } from 'k6/metrics';
import type { Breach } from './promise.ts';
import type { Kind } from './outcome.ts';

/** Purchases by outcome. A purchase that was cut off counts as sent only. */
export const sent = new Counter('purchases_sent');
export const ended: Readonly<Record<Kind, Counter>> = {
  ok: new Counter('purchases_ok'),
  'sold-out': new Counter('purchases_sold_out'),
  refused: new Counter('purchases_refused'),
  unknown: new Counter('purchases_unknown'),
  unexpected: new Counter('purchases_unexpected'),
};
/** Sales of one key beyond the first. */
export const duplicates = new Counter('duplicate_sales');

/**
 * Receipts compared with the ledger, in units. k6 can compare a metric only with a constant, so these two go up and down
 * and must not end above zero: units on receipts that the ledger does not have, and units in the ledger that no buyer can
 * have bought.
 */
export const missing = new Counter('ledger_missing');
export const unexplained = new Counter('ledger_unexplained');

/** Goes up when a sale is opened, and down when it is audited: a test that is cut off must not pass. */
export const unaudited = new Counter('not_audited');
export const breaches: Readonly<Record<Breach, Counter>> = {
  oversold: new Counter('oversold'),
  lost_update: new Counter('lost_update'),
  leaked: new Counter('leaked'),
  not_safe: new Counter('not_safe'),
};

/** The audit, for the summary. */
export const audit = {
  verdict: new Gauge('audit_verdict'),
  initial: new Gauge('audit_initial'),
  sold: new Gauge('audit_sold'),
  remaining: new Gauge('audit_remaining'),
} as const;

/** Seconds since the sale was opened, at the end of each purchase: the largest value is the duration of the sale. */
export const elapsed = new Gauge('load_seconds');
