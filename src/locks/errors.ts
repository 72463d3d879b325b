/** The lock was not free within `waitMs`. */
export class LockTimeout extends Error {
  readonly type = 'lock-timeout';
  constructor(readonly waitedMs: number) {
    super(`The lock was not free within ${Math.round(waitedMs)} ms.`);
  }
}

/** The lease ended, or can no longer be proven, while its holder still worked. */
export class LockLost extends Error {
  readonly type = 'lock-lost';
  constructor() {
    super('The lock was lost before the work was finished.');
  }
}

/** The queue is full: one more waiter is refused at once. */
export class TooManyWaiting extends Error {
  readonly type = 'busy';
  constructor() {
    super('Too many requests are waiting already.');
  }
}
