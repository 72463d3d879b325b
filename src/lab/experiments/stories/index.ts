import { type Experiment } from '../experiment.js';
import { ABA } from './aba.js';
import { BLIND_DELETE } from './blind-delete.js';
import { BLOCKED_EVENT_LOOP } from './blocked-event-loop.js';
import { DATABASE_KILLED } from './database-killed.js';
import { FAIR_QUEUE } from './fair-queue.js';
import { LOST_REPLY_WITH_KEY } from './retry-with-key.js';
import { REDLOCK_MASTERS } from './redlock-masters.js';
import { ROW_OR_TABLE } from './row-or-table.js';
import { CRASH_BEFORE_EXPIRE } from './crash-before-expire.js';
import { ENOUGH_REPLICAS } from './enough-replicas.js';
import { EARLY_SNAPSHOT } from './early-snapshot.js';
import { FENCED_WRITERS } from './fenced-writers.js';
import { FOR_UPDATE_AUTOCOMMIT } from './for-update-autocommit.js';
import { GATE_WITHOUT_GUARD } from './gate-without-guard.js';
import { LOCK_PER_REQUEST } from './lock-per-request.js';
import { LOST_WAKEUP } from './lost-wakeup.js';
import { MIXED_STRATEGIES } from './mixed-strategies.js';
import { SAME_TOKEN_TWICE } from './same-token-twice.js';
import { SESSION_LOST } from './session-lost.js';
import { TOKEN_AFTER_ACQUIRE } from './token-after-acquire.js';
import { COMMIT_UNANSWERED } from './commit-unanswered.js';
import { FULL_REDIS } from './full-redis.js';
import { SENTINEL_FAILOVER } from './sentinel-failover.js';
import { UNLOCK_BEFORE_COMMIT } from './unlock-before-commit.js';
import { SLOW_SERVERS } from './slow-servers.js';
import { STALE_REPLICA } from './stale-replica.js';
import { REENTRY } from './reentry.js';
import { WATCH_SHARED_CONNECTION } from './watch-shared-connection.js';
import { WAIT_FOR_REPLICA } from './wait-for-replica.js';

/** Experiments outside the matrix, in the order of the claims that they show. */
export const STORIES: readonly Experiment[] = [
  ...LOCK_PER_REQUEST,
  ...UNLOCK_BEFORE_COMMIT,
  ...EARLY_SNAPSHOT,
  ...ROW_OR_TABLE,
  ...FOR_UPDATE_AUTOCOMMIT,
  ...ABA,
  ...MIXED_STRATEGIES,
  ...STALE_REPLICA,
  ...WATCH_SHARED_CONNECTION,
  ...GATE_WITHOUT_GUARD,
  ...CRASH_BEFORE_EXPIRE,
  ...BLIND_DELETE,
  ...BLOCKED_EVENT_LOOP,
  ...SLOW_SERVERS,
  ...REENTRY,
  ...LOST_WAKEUP,
  ...FENCED_WRITERS,
  ...TOKEN_AFTER_ACQUIRE,
  ...SAME_TOKEN_TWICE,
  ...WAIT_FOR_REPLICA,
  ...ENOUGH_REPLICAS,
  ...SENTINEL_FAILOVER,
  ...FULL_REDIS,
  ...REDLOCK_MASTERS,
  ...LOST_REPLY_WITH_KEY,
  ...COMMIT_UNANSWERED,
  ...FAIR_QUEUE,
  ...DATABASE_KILLED,
  ...SESSION_LOST,
];
