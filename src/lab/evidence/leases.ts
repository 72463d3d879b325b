import { type TraceEntry } from './trace.js';

/** Commands that acquire a lock with a lease. */
const LEASED = [
  /^SET \S*lock\S* \S+ PX \d+ NX$/,
  /^EVAL(?:SHA)? (?:plain-acquire|queue-enter|redlock-lock|redisson-enter)\.lua /,
  /^INSERT INTO lock_rows\b/,
  /^PEXPIRE /,
];

/** Whether the buyer has asked for a lock that ends by itself. */
function hasLease(buyer: string, trace: readonly TraceEntry[]): boolean {
  return trace.some(
    (entry) =>
      entry.type === 'step' &&
      entry.by.replace(/ (?:other-)?\d+$/, '') === buyer &&
      entry.command !== undefined &&
      LEASED.some((pattern) => pattern.test(entry.command?.text ?? '')),
  );
}

/** Their sessions are leases too. */
const WITH_SESSIONS = ['etcd', 'zookeeper'];

export function timeText(
  { buyer, strategy }: { readonly buyer: string; readonly strategy: string },
  leaseMs: number,
  trace: readonly TraceEntry[],
): string {
  return WITH_SESSIONS.includes(strategy) || hasLease(buyer, trace)
    ? `${leaseMs} ms pass: the lease of ${buyer} expires`
    : `${leaseMs} ms pass: longer than a lease; ${buyer} has none`;
}
