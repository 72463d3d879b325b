import { type AcquireOptions } from './lock.js';

/** The longest delay that a Node timer can count (about 24 days). A longer one would fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** Throws a TypeError or RangeError that names the argument, the value and what is allowed. */
export function checkAcquire(key: unknown, options: unknown): void {
  if (typeof key !== 'string' || key === '')
    throw new TypeError(`key must be a non-empty string, not ${show(key)}.`);
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options must be an object with waitMs, not ${show(options)}.`);
  }
  const { waitMs, leaseMs, signal } = options as { readonly [Name in keyof AcquireOptions]?: unknown };
  if (typeof waitMs !== 'number' || !(waitMs >= 0 && waitMs <= LONGEST_MS)) {
    throw new RangeError(`waitMs must be a number from 0 to ${LONGEST_MS}, not ${show(waitMs)}.`);
  }
  if (leaseMs !== undefined) checkDuration('leaseMs', leaseMs);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError(`signal must be an AbortSignal, not ${show(signal)}.`);
  }
}

/** Engines count leases in whole milliseconds. */
export function checkDuration(name: string, value: unknown): void {
  if (!Number.isInteger(value) || !((value as number) >= 1 && (value as number) <= LONGEST_MS)) {
    throw new RangeError(`${name} must be a whole number of ms from 1 to ${LONGEST_MS}, not ${show(value)}.`);
  }
}

/** The same for options that may be absent. */
export function checkDurations(durations: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(durations)) if (value !== undefined) checkDuration(name, value);
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
