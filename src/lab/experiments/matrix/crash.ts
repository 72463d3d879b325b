import { type Scenario, unlessBrokenAnyway } from './scenario.js';

/** A dies between its deduction and COMMIT, or between Redis and MySQL; then B wants to buy. */
export const CRASH: Scenario = {
  fault: 'crash',
  title: 'kill -9 in the middle',
  claims: [],
  claimsOf: { 'setnx-lua': ['C11'], 'redis-decr': ['P10'], 'redis-lua': ['P10'] },
  lease: 'short',
  stock: 1,
  appliesTo: unlessBrokenAnyway,
  async run(scene, { stock }) {
    const a = scene.buyer('A', 1);
    const b = scene.buyer('B', 2);
    await a.runUntil(stock === 'redis' ? ['afterGate'] : ['beforeCommit']);
    await a.kill();
    const answer = await b.finish();
    scene.recorder.expectOrder('A killed', `B ${answer.kind}`);
    if (answer.kind === 'sold') return { why: 'What A had not committed was undone, and B could buy.' };
    const died = performance.now();
    const { sold } = await scene.settledAudit();
    if (sold === 1) return { why: 'A had sold before it died: another instance wrote its order down.' };
    // The unit that A took with it was in no ledger until the reconciler found it.
    const seconds = ((performance.now() - died) / 1000).toFixed(1);
    return {
      finding: 'LEAKED',
      why: `B was refused although nobody had bought. The reconciler gave the unit back after ${seconds} s.`,
    };
  },
};
