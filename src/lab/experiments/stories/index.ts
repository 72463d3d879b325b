import { type Experiment } from '../experiment.js';
import { ABA } from './aba.js';
import { CRASH_BEFORE_EXPIRE } from './crash-before-expire.js';
import { EARLY_SNAPSHOT } from './early-snapshot.js';
import { FOR_UPDATE_AUTOCOMMIT } from './for-update-autocommit.js';
import { GATE_WITHOUT_GUARD } from './gate-without-guard.js';
import { LOCK_PER_REQUEST } from './lock-per-request.js';
import { LOST_WAKEUP } from './lost-wakeup.js';
import { SAME_TOKEN_TWICE } from './same-token-twice.js';
import { TOKEN_AFTER_ACQUIRE } from './token-after-acquire.js';
import { WATCH_SHARED_CONNECTION } from './watch-shared-connection.js';
import { WAIT_FOR_REPLICA } from './wait-for-replica.js';

/** Experiments that are not a cell of the matrix, in the order of the claims that they show. */
export const STORIES: readonly Experiment[] = [
  ...LOCK_PER_REQUEST,
  ...EARLY_SNAPSHOT,
  ...FOR_UPDATE_AUTOCOMMIT,
  ...ABA,
  ...WATCH_SHARED_CONNECTION,
  ...GATE_WITHOUT_GUARD,
  ...CRASH_BEFORE_EXPIRE,
  ...LOST_WAKEUP,
  ...TOKEN_AFTER_ACQUIRE,
  ...SAME_TOKEN_TWICE,
  ...WAIT_FOR_REPLICA,
];
