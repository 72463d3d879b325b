// Checks for what crosses a process boundary, used once, where it enters. They look at the members that a reader needs
// to tell one kind of answer from another, and no further. No imports at run time: k6 loads this file as it is.
import type { Audit } from './audit.js';
import type { Health } from './health.js';
import type { NewRun, SoldOrdersPage } from './order.js';
import type { Problem } from './problem.js';
import type { Receipt, SignedReceipt } from './receipt.js';
import type { StrategyListing } from './strategy.js';

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** Whether the value is an object whose members of these names are numbers. */
const hasNumbers = (value: unknown, ...names: readonly string[]): value is Members =>
  isObject(value) && names.every((name) => typeof value[name] === 'number');

export const isHealth = (value: unknown): value is Health =>
  isObject(value) &&
  typeof value['status'] === 'string' &&
  (value['engines'] === undefined || isObject(value['engines']));

export const isStrategyListing = (value: unknown): value is StrategyListing =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  typeof value['safe'] === 'string' &&
  typeof value['available'] === 'boolean' &&
  Array.isArray(value['needs']);

export const isStrategyList = (value: unknown): value is StrategyListing[] =>
  Array.isArray(value) && value.every(isStrategyListing);

export const isReceipt = (value: unknown): value is Receipt =>
  hasNumbers(value, 'orderId', 'remaining', 'attempts', 'waitedMs');

/** The receipts of a sale: one, or those of a basket. Undefined when the value is no answer to a sale. */
export function receiptsIn(value: unknown): readonly SignedReceipt[] | undefined {
  const receipts: readonly unknown[] =
    isObject(value) && Array.isArray(value['orders']) ? value['orders'] : [value];
  return receipts.length > 0 && receipts.every(isReceipt) ? (receipts as SignedReceipt[]) : undefined;
}

export const isNewRun = (value: unknown): value is NewRun =>
  hasNumbers(value, 'goodsId', 'runId', 'inventory');

export const isAudit = (value: unknown): value is Audit =>
  hasNumbers(value, 'runId', 'initial', 'sold', 'remaining', 'oversoldBy', 'orders') &&
  typeof value['verdict'] === 'string' &&
  Array.isArray(value['invariants']);

export const isSoldOrdersPage = (value: unknown): value is SoldOrdersPage =>
  hasNumbers(value, 'runId') && Array.isArray(value['orderIds']);

export const isProblem = (value: unknown): value is Problem =>
  hasNumbers(value, 'status') && typeof value['type'] === 'string';
