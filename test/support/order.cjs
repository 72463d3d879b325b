// The order of the test files, for the shortest run of all: the longest files come first, and what can fill the last gaps
// comes last. Jest itself knows how long a file takes only after the first run on a machine.
const { default: Sequencer } = require('@jest/test-sequencer');

/** They wait most of the time: for leases to end, and for servers to restart. */
const LONGEST = ['experiments', 'explorer'];
/** They keep a core busy, so they begin one after the other, the longest first. */
const HEAVY = [
  ...[
    'page',
    'chaos-reverts',
    'lab',
    'conformance',
    'chaos',
    'load',
    'page-answers',
    'redis-stock',
    'readme',
  ],
  ...[
    'batch-queue',
    'lock-explorer',
    'killed-moves',
    'dev',
    'redis-outage',
    'fault-proofs',
    'drain',
    'build',
  ],
];

/** @param {string} path */
function rank(path) {
  const file = path.replace(/^.*\//, '').replace(/\.test\.ts$/, '');
  if (path.includes('/unit/')) return LONGEST.length + HEAVY.length + 1;
  const index = [...LONGEST, ...HEAVY].indexOf(file);
  return index < 0 ? LONGEST.length + HEAVY.length : index;
}

module.exports = class Order extends Sequencer {
  /** Within a rank, as Jest would have it: what failed or took longest last time comes first. */
  sort(tests) {
    return super.sort(tests).sort((a, b) => rank(a.path) - rank(b.path));
  }
};
