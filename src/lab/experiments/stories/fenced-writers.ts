import { outlast, pause, resume } from '../../faults/pause.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { type Scene } from '../scene.js';
import { GOODS } from '../stage.js';
import { LEASES } from '../troupe.js';
import { lastToken, proveRising, storedToken } from './tokens.js';

/** C18: A comes back with a token that is older than the last one that the store has taken. */
const STALE: Experiment = {
  id: 'stale-token-refused',
  title: 'A late writer has an older token, and is refused',
  claims: ['C18', 'P3'],
  strategy: 'fencing-token',
  fault: 'pause',
  expected: 'SAFE',
  lease: 'short',
  stock: 2,
  async run(scene) {
    const before = await firstSale(scene);
    const a = scene.buyer('A', 1);
    await a.runUntil(['afterRead']);
    const tokenOfA = await lastToken(scene);
    await pause(scene, a);
    await outlast(scene, a, LEASES.short);
    const second = await scene.buyer('B', 2).finish();
    const stored = await storedToken(scene);
    scene.prove(
      'the store has taken a token that is larger than that of A',
      `${before}, then A got ${tokenOfA}, B wrote ${stored}`,
      before < tokenOfA && tokenOfA < stored,
    );
    resume(scene, a);
    const first = await a.answer();
    scene.prove('A was refused', first.kind, first.kind === 'refused');
    scene.recorder.expectOrder('A afterRead', 'A paused', `B ${second.kind}`, 'A resumed', 'A refused');
    return { why: `The store had taken ${stored}, and A came with ${tokenOfA}.` };
  },
};

/** C19, P6: neither a failover nor a lost counter is needed. Both tokens are larger than what the store has. */
const LARGER: Experiment = {
  ...STALE,
  id: 'two-larger-tokens',
  title: 'Two writers, both with a larger token than the last',
  claims: ['C19', 'P6'],
  expected: 'OVERSOLD',
  async run(scene) {
    const before = await firstSale(scene);
    const tokens: number[] = [];
    const ending = await writeInTurn(scene, async () => void tokens.push(await lastToken(scene)));
    const [ofA = 0, ofB = 0] = tokens;
    scene.prove(
      'both tokens were larger than the last',
      `stored ${before}; A ${ofA}, B ${ofB}`,
      before < ofA && ofA < ofB,
    );
    await proveRising(scene);
    return ending;
  },
};

/** C20: under the same steps, a lease that the store keeps and compares for equality. */
const LEASE_SEQ: Experiment = {
  ...LARGER,
  id: 'two-leases-one-match',
  title: 'Two writers, and the store compares the lease for equality',
  claims: ['C20', 'P6'],
  strategy: 'lease-seq',
  twinOf: LARGER.id,
  expected: 'SAFE',
  async run(scene) {
    await firstSale(scene);
    const leases: number[] = [];
    const leaseSeq = async () => {
      const [row] = (await scene.stage.rows('SELECT lease_seq AS seq FROM goods WHERE id = ?', [GOODS])) as {
        seq: number;
      }[];
      leases.push(Number(row?.seq));
    };
    const ending = await writeInTurn(scene, leaseSeq);
    const [ofA = 0, ofB = 0] = leases;
    scene.prove(
      'the grant of B has taken A’s from it',
      `lease_seq ${ofA}, then ${ofB}`,
      ofA > 0 && ofB > ofA,
    );
    return ending;
  },
};

/** One is sold when all is well. Answers with the token that the store has taken for it. */
async function firstSale(scene: Scene): Promise<number> {
  const { kind } = await scene.buyer('X', 2).finish();
  scene.prove('one was sold when all was well', kind, kind === 'sold');
  return storedToken(scene);
}

/** A looks and stops, its lease ends; B looks and stops; A writes; B writes. */
async function writeInTurn(scene: Scene, granted: () => Promise<void>): Promise<Conclusion> {
  const [a, b] = [scene.buyer('A', 1), scene.buyer('B', 2)];
  await a.runUntil(['afterRead']);
  await granted();
  await pause(scene, a);
  await outlast(scene, a, LEASES.short);
  await b.runUntil(['afterRead']);
  await granted();
  await pause(scene, b);
  resume(scene, a);
  const first = await a.answer();
  resume(scene, b);
  const second = await b.answer();
  scene.recorder.expectOrder(
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
        ? 'Each came with a number that was larger than the one before, so the store took both.'
        : 'Each grant moved the number in the row: A’s write did not match, so it asked again and sold; B’s did not match either.',
  };
}

export const FENCED_WRITERS: readonly Experiment[] = [
  { ...STALE, twinOf: 'pause.setnx-lua' },
  LARGER,
  LEASE_SEQ,
];
