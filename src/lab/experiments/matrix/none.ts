import { type Scenario } from './scenario.js';

/** The twin of every cell: the same two buyers and the same stock without a fault. */
export const NONE: Scenario = {
  fault: 'none',
  title: 'No fault',
  label: 'no fault',
  claims: [],
  lease: 'long',
  stock: 1,
  appliesTo: () => true,
  async run(run) {
    const a = await run.buyer('A', 1).finish();
    const b = await run.buyer('B', 2).finish();
    run.recorder.expectOrder('A sold', `B ${b.kind}`);
    return { why: `One after the other: A ${a.kind}, B ${b.kind}.` };
  },
};
