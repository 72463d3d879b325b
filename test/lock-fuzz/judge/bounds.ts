import { type Promises } from '../history.js';
import { type Caller, type Plan, type Settings } from '../plan/plan.js';

/** What a busy machine may add to any time. The fuzzer looks for hangs, not for slowness. */
export const SLACK_MS = 1000;
/** A lock on a client without a command timeout must set a limit of its own. */
const OWN_LIMIT_MS = 1000;
/** A release that was lost in an outage is sent again after it, by a client that is still alive. */
const RELEASED_AGAIN_MS = 1500;

export function commandTimeoutMs({ commandTimeoutMs: timeout = OWN_LIMIT_MS }: Settings): number {
  return timeout;
}

/** The longest lease that a holder may have left behind. */
export function longestLeaseMs({ settings, callers }: Plan): number {
  const leases = callers.flatMap(({ leaseMs = 0, nested }) => [leaseMs, nested?.leaseMs ?? 0]);
  return Math.max(settings.watchdogMs, ...leases);
}

/**
 * How long a key may stay locked after the last call has ended. When all callers have released and all processes
 * run, it is free before a long lease ends.
 */
export function freeWithinMs(plan: Plan, { failedAttemptsStay = false }: Promises): number {
  const abandoned = plan.callers.some(({ end }) => end === 'forget');
  const killed = plan.faults.some(({ type }) => type === 'kill');
  const stays = killed || (failedAttemptsStay && plan.faults.length > 0);
  // A waiter that was killed or paused keeps its place in a fair queue until its heartbeat has stopped for so long.
  const lease = Math.max(longestLeaseMs(plan), plan.settings.heartbeatMs);
  return SLACK_MS + (abandoned || stays ? lease : Math.min(lease, RELEASED_AGAIN_MS));
}

/** After this a caller that has not finished is considered to hang. */
export function longestCallMs(plan: Plan, caller: Caller): number {
  const { waitMs, holdMs, leaseMs = 0, rounds, startMs, nested, downgradeAfterMs = 0 } = caller;
  const timeout = commandTimeoutMs(plan.settings);
  const inner = nested ? nested.delayMs + nested.holdMs + waitMs + 2 * timeout : 0;
  const round =
    waitMs + holdMs + downgradeAfterMs + (caller.end === 'expire' ? leaseMs + 1000 : 0) + 3 * timeout + inner;
  const pauses = plan.faults.reduce((sum, { forMs }) => sum + forMs, 0);
  return startMs + rounds * round + pauses + 2 * SLACK_MS;
}
