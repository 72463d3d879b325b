/** A bug planted in the lock's source. The explorer must find each of them. */
export interface Mutation {
  readonly name: string;
  /** Where it shows: the beginning of a scenario's name. */
  readonly scenario: string;
  readonly file: string;
  readonly edits: readonly (readonly [from: string, to: string])[];
  /** What the explorer must say. */
  readonly finds: RegExp;
}

const LOCK = 'exclusive/exclusive-lock.ts';
const REENTRANT = 'exclusive/reentrant-lock.ts';
const TWO_HOLDERS = /hold a at the same time|after token/;
const NEVER_FREE = /locked|A timer is left that never ends/;

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'an entry does not check that the hold still exists',
    scenario: 'an entry after the outer hold has ended',
    file: REENTRANT,
    edits: [['if (!hold || hold.isOver)', 'if (!hold)']],
    finds: TWO_HOLDERS,
  },
  {
    name: 'an entry is counted only after a round trip',
    scenario: 'an entry beside a failing sibling, and a waiter',
    file: REENTRANT,
    edits: [
      [
        `    return new Promise((resolve) => {
      checkAcquire(key, options);
      resolve(this.enterAgain(hold, options));
    });`,
        `    return this.engineForMutation().renew(key, hold.tenure.owner, 300).then(() => this.enterAgain(hold, options));`,
      ],
      [
        '  override asHolder',
        "  private engineForMutation() { return (this as unknown as { engine: import('./engine.js').ExclusiveEngine }).engine; }\n  override asHolder",
      ],
    ],
    finds: TWO_HOLDERS,
  },
  {
    name: 'a failure of one key makes the callers of every key fail',
    scenario: 'a key that always fails beside a hand-off',
    file: LOCK,
    edits: [
      ['export class ExclusiveLock', "let anyFailure: HandOff['failure'];\nexport class ExclusiveLock"],
      [
        'const { tenure, failure, othersFirstUntil = 0 } = turn.inherited ?? {};',
        'const { tenure, othersFirstUntil = 0 } = turn.inherited ?? {}; const failure = anyFailure;',
      ],
      [
        'turn.leave(engineFailed',
        'if (engineFailed) anyFailure = { at: performance.now() + 1, error };\n      turn.leave(engineFailed',
      ],
    ],
    finds: NEVER_FREE,
  },
  {
    name: 'the watchdog is not stopped before the release',
    scenario: 'a hand-off and a failure',
    file: LOCK,
    edits: [['    this.renewals.remove(tenure);\n    return this.free(', '    return this.free(']],
    finds: /renews a after it has sent the release/,
  },
  {
    name: 'a waiter that cannot use the tenure handed to it drops it',
    scenario: 'a hand-off between callers with different leases',
    file: LOCK,
    edits: [['void this.abandon(tenure);', '']],
    finds: NEVER_FREE,
  },
  {
    name: 'a lost tenure is handed on',
    scenario: 'a hand-off of leases that expire at once',
    file: LOCK,
    edits: [
      ['return !tenure.lost && tenure', 'return true || tenure'],
      ['    tenure.lose();\n    turn.leave();\n', '    tenure.lose();\n'],
    ],
    finds: /had expired|at the same time/,
  },
  {
    name: 'the next holder gets the same token',
    scenario: 'a hand-off, another process',
    file: LOCK,
    edits: [['      tenure.passes += 1;\n', '']],
    finds: /after token/,
  },
  {
    name: 'the lease is counted from the answer',
    scenario: 'leases of the callers’, a stall',
    file: LOCK,
    edits: [['if (performance.now() >= asked + length) throw new LockLost();', 'asked = performance.now();']],
    finds: TWO_HOLDERS,
  },
  {
    name: 'a lease that has expired is handed out',
    scenario: 'a hand-off of leases that expire at once',
    file: LOCK,
    edits: [['if (performance.now() >= asked + length) throw new LockLost();', '']],
    finds: /had expired/,
  },
  {
    name: 'a grant that comes after the caller has aborted is kept',
    scenario: 'a contender aborts',
    file: LOCK,
    edits: [['const withdrawn = this.free(key, owner, length);', 'const withdrawn = Promise.resolve();']],
    finds: NEVER_FREE,
  },
  {
    name: 'an entry whose own lease has ended still counts',
    scenario: 'an entry with a lease of its own',
    file: LOCK,
    edits: [['      hold.remove(lease);\n      if (hold.isOver)', '      if (hold.isOver)']],
    finds: NEVER_FREE,
  },
  {
    name: 'a call to the engine has no time limit',
    scenario: 'a server that is silent',
    file: 'locks/bounded.ts',
    edits: [['    DEADLINES.add(timeout);\n', '']],
    finds: /longer than|never come to an end/,
  },
  {
    name: 'an abort listener is left behind',
    scenario: 'a contender aborts',
    file: 'locks/bounded.ts',
    edits: [["      signal?.removeEventListener('abort', onAbort);\n", '']],
    finds: /listener/,
  },
];
