// The order of the test files. The experiments come first, with quiet files beside them: they wait for leases to end,
// and on a machine that is busy with something else everything about them takes longer. What loads the machine is last.
const { default: Sequencer } = require('@jest/test-sequencer');

const FIRST = /\/experiments\.test\.ts$/;
const LAST =
  /\/(build|chaos|chaos-reverts|side-by-side|conformance|dev|fault-proofs|lab|load|locks|page|redis-stock|segmented)\.test\.ts$/;

const rank = ({ path }) => (FIRST.test(path) ? 0 : LAST.test(path) ? 2 : 1);

module.exports = class Order extends Sequencer {
  /** Within a rank, as Jest would have it: what takes longest comes first. */
  sort(tests) {
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
};
