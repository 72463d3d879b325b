import { CLOCK_JUMP } from './clock-jump.js';
import { CONCURRENCY, SEVERAL_INSTANCES } from './concurrency.js';
import { CRASH } from './crash.js';
import { EMPTY_RESTART } from './empty-restart.js';
import { EVICTION } from './eviction.js';
import { FAILOVER } from './failover.js';
import { LOST_REPLY } from './lost-reply.js';
import { NONE } from './none.js';
import { PAUSE, PAUSE_BOTH } from './pause.js';
import { type Scenario } from './scenario.js';

/** The columns of the matrix, from common to rare faults. */
export const COLUMNS: readonly Scenario[] = [
  NONE,
  CONCURRENCY,
  SEVERAL_INSTANCES,
  PAUSE,
  PAUSE_BOTH,
  CRASH,
  FAILOVER,
  EMPTY_RESTART,
  CLOCK_JUMP,
  EVICTION,
  LOST_REPLY,
];
