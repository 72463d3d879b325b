import { LockLost, LockTimeout } from '../../../src/locks/index.js';
import { type Reason } from '../history.js';

/** What the fuzzer's callers abort with. */
export class CallerLeft extends Error {}

/** What the fuzzer's work fails with. */
export class WorkFailed extends Error {}

export function reasonOf(error: unknown): Reason {
  if (error instanceof LockTimeout) return 'timeout';
  if (error instanceof CallerLeft) return 'aborted';
  return error instanceof LockLost ? 'lost' : 'engine';
}
