import { type ClaimId } from '../../contract/claims.js';

/** What shows a claim in addition to the experiments that name it: strategies to run, and tests that assert it. */
export interface ClaimSource {
  readonly strategies?: readonly string[];
  /** File names in test/, without `.test.ts`. */
  readonly tests?: readonly string[];
  /** Why nothing shows the claim yet. */
  readonly missing?: string;
  /** Which part of the claim nothing shows yet. */
  readonly unshown?: string;
}

export const CLAIM_SOURCES: Readonly<Record<ClaimId, ClaimSource>> = {
  C1: { strategies: ['no-lock'], tests: ['conformance'] },
  C2: { strategies: ['check-then-act'], tests: ['conformance'] },
  C3: { strategies: ['mutex'], tests: ['conformance'] },
  C4: { strategies: ['lock-inside-transaction'], tests: ['conformance'] },
  C5: { strategies: ['sql-atomic'] },
  C6: { strategies: ['for-update'] },
  C7: { strategies: ['cas-version'] },
  C8: { strategies: ['unique-row'], tests: ['conformance', 'mysql-row-lock'] },
  C9: { strategies: ['redis-watch'], tests: ['redis-watch'] },
  C10: { strategies: ['redis-decr', 'redis-lua'], tests: ['redis-stock'] },
  C11: { strategies: ['setnx-lua'] },
  C12: { strategies: ['setnx-blind-delete', 'setnx-check-delete', 'setnx-lua'] },
  C13: { strategies: ['setnx-watchdog', 'reentrant'], tests: ['locks-redis'] },
  C14: { strategies: ['reentrant'], tests: ['locks-redis'] },
  C15: { strategies: ['reentrant'], tests: ['lost-wakeup'] },
  C16: { strategies: ['setnx-lua', 'redlock'], tests: ['lock-failover'] },
  C17: { strategies: ['redlock'], tests: ['locks-quorum-faults'] },
  C18: { strategies: ['fencing-token'] },
  C19: { strategies: ['fencing-token'], tests: ['lock-replicas'] },
  C20: { strategies: ['lease-seq'] },
  C21: { strategies: ['idempotent'] },
  C22: {
    strategies: ['batch'],
    tests: ['batch', 'batch-queue'],
    unshown: 'The local queue is shown; no strategy of Lockstock serialises sales by partition yet.',
  },
  C23: { strategies: ['etcd', 'zookeeper'], tests: ['locks-coordination'] },
  C24: { strategies: ['segmented', 'read-write'], tests: ['segmented', 'read-write-lock'] },
  C25: { tests: ['conformance', 'overload'] },
  C26: { tests: ['redis-topologies'] },
  C27: { tests: ['goods-cache'] },
  C28: { strategies: ['fair'], tests: ['fair-lock', 'multi-lock'] },
};
