import { outlast, pause, resume } from '../../faults/pause.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { GOODS } from '../../test-bed/test-bed.js';
import { LEASES } from '../../test-bed/instance-pool.js';
import { lastToken, proveRising, storedToken } from './tokens.js';

/** C18: A resumes with a token that is smaller than the last one that the store accepted. */
const STALE: Experiment = {
  id: 'stale-token-refused',
  title: 'A late writer has an older token and is refused',
  claims: ['C18', 'P3'],
  strategy: 'fencing-token',
  fault: 'pause',
  expected: 'SAFE',
  lease: 'short',
  stock: 2,
  async run(run) {
    const before = await firstSale(run);
    const a = run.buyer('A', 1);
    await a.runUntil(['afterRead']);
    const tokenOfA = await lastToken(run);
    await pause(run, a);
    await outlast(run, a, LEASES.short);
    const second = await run.buyer('B', 2).finish();
    const stored = await storedToken(run);
    run.prove(
      'the store accepted a token that is larger than that of A',
      `stored ${before}; A ${tokenOfA}, B ${stored}`,
      before < tokenOfA && tokenOfA < stored,
    );
    resume(run, a);
    const first = await a.answer();
    run.prove('A was refused', first.kind, first.kind === 'refused');
    run.recorder.expectOrder('A afterRead', 'A paused', `B ${second.kind}`, 'A resumed', 'A refused');
    return { why: 'The store had accepted B’s larger token and refused A’s.' };
  },
};

/** C19, P6: without any failover or lost counter, both tokens are larger than the one in the store. */
const LARGER: Experiment = {
  ...STALE,
  id: 'two-larger-tokens',
  title: 'Two writers, both with a larger token than the last',
  claims: ['C19', 'P6'],
  expected: 'OVERSOLD',
  async run(run) {
    const before = await firstSale(run);
    const tokens: number[] = [];
    const ending = await writeInTurn(run, async () => void tokens.push(await lastToken(run)));
    const [ofA = 0, ofB = 0] = tokens;
    run.prove(
      'both tokens were larger than the last',
      `stored ${before}; A ${ofA}, B ${ofB}`,
      before < ofA && ofA < ofB,
    );
    await proveRising(run);
    return ending;
  },
};

/** C20: the same steps, with a lease number that the store keeps and compares for equality. */
const LEASE_SEQ: Experiment = {
  ...LARGER,
  id: 'two-leases-one-match',
  title: 'Two writers, and the store compares the lease for equality',
  claims: ['C20', 'P6'],
  strategy: 'lease-seq',
  twinOf: LARGER.id,
  expected: 'SAFE',
  async run(run) {
    await firstSale(run);
    const leases: number[] = [];
    const leaseSeq = async () => {
      const [row] = (await run.testBed.rows('SELECT lease_seq AS seq FROM goods WHERE id = ?', [GOODS])) as {
        seq: number;
      }[];
      leases.push(Number(row?.seq));
    };
    const ending = await writeInTurn(run, leaseSeq);
    const [ofA = 0, ofB = 0] = leases;
    run.prove(
      'the lease granted to B replaced that of A',
      `lease_seq ${ofA}, then ${ofB}`,
      ofA > 0 && ofB > ofA,
    );
    return ending;
  },
};

/** Sells one without any fault. Returns the token that the store accepted for it. */
async function firstSale(run: ExperimentRun): Promise<number> {
  const { kind } = await run.buyer('X', 2).finish();
  run.prove('one was sold before the fault', kind, kind === 'sold');
  return storedToken(run);
}

/** A reads and stops, its lease expires; B reads and stops; A writes; B writes. */
async function writeInTurn(run: ExperimentRun, granted: () => Promise<void>): Promise<Conclusion> {
  const [a, b] = [run.buyer('A', 1), run.buyer('B', 2)];
  await a.runUntil(['afterRead']);
  await granted();
  await pause(run, a);
  await outlast(run, a, LEASES.short);
  await b.runUntil(['afterRead']);
  await granted();
  await pause(run, b);
  resume(run, a);
  const first = await a.answer();
  resume(run, b);
  const second = await b.answer();
  run.recorder.expectOrder(
    'A afterRead',
    'A paused',
    'B afterRead',
    'B paused',
    'A resumed',
    `A ${first.kind}`,
    'B resumed',
    `B ${second.kind}`,
  );
  return {
    why:
      first.kind === 'sold' && second.kind === 'sold'
        ? 'Each token was larger than the one before it, so the store accepted both writes.'
        : 'Each grant changed the lease number in the row. A’s write did not match, so A retried and sold; B’s write did not match either.',
  };
}

export const FENCED_WRITERS: readonly Experiment[] = [
  { ...STALE, twinOf: 'pause.setnx-lua' },
  LARGER,
  LEASE_SEQ,
];
