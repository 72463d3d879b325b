import { type Audit } from '../../goods/audit.js';
import { type Evidence, type Expectation, type Finding, meets } from './evidence.js';
import { type Audience, Recorder } from './recorder.js';
import { Scene } from './scene.js';
import { GOODS, type LeaseLength, type Stage } from './stage.js';

/** What a script found, where the ledger alone cannot tell; and in any case why it ended so. */
export interface Conclusion {
  readonly finding?: Finding;
  readonly why: string;
}

export interface Experiment {
  /** Its name in the command line and in the URL. */
  readonly id: string;
  readonly title: string;
  /** What it shows, of CLAIMS and of the list of interleavings. */
  readonly claims: readonly string[];
  readonly strategy: string;
  /** The fault by its name in `breaksUnder`, or `none` for a twin that shows the same steps without it. */
  readonly fault: string;
  readonly twinOf?: string;
  readonly expected: Expectation;
  readonly lease: LeaseLength;
  readonly stock: number;
  /** How many instances take part, where two are not enough. */
  readonly instances?: number;
  /** Why it cannot run on this machine, if it cannot. */
  readonly missing?: () => string | undefined;
  readonly run: (scene: Scene) => Promise<Conclusion>;
}

interface Rows {
  readonly goods: object;
  readonly orders: readonly { readonly orderId: number }[];
}

/** Performs an experiment once. It never throws because of what it finds: a script that fails is evidence too. */
export async function perform(
  experiment: Experiment,
  stage: Stage,
  audience: Audience = {},
): Promise<Evidence> {
  const recorder = new Recorder(audience);
  const players = await stage.players(experiment.lease, experiment.instances ?? 2);
  const scene = new Scene(stage, recorder, experiment.strategy, players);
  try {
    return await performOn(scene, experiment);
  } finally {
    await scene.close();
  }
}

async function performOn(scene: Scene, experiment: Experiment): Promise<Evidence> {
  const { id, title, claims, strategy, fault, twinOf, expected } = experiment;
  const { stage, recorder } = scene;
  const startedAt = new Date().toISOString();
  let conclusion: Conclusion;
  try {
    await scene.ready();
    await scene.stock(experiment.stock);
    conclusion = await experiment.run(scene);
  } catch (error) {
    recorder.prove('the script ran to its end', (error as Error).message, false);
    conclusion = { why: 'The experiment could not be carried out.' };
  } finally {
    await scene.strike();
  }
  const audit = await scene.settledAudit();
  const rows = await rowsOf(stage, audit);
  const unwritten = scene
    .acknowledged()
    .filter((number) => !rows.orders.some(({ orderId }) => orderId === number));
  if (unwritten.length > 0) conclusion = { ...conclusion, ...lostOrder(unwritten) };
  const verdict = conclusion.finding ?? audit.verdict;
  const { proofs, order } = recorder;
  const fired = fault === 'none' || proofs.length > 0;
  return {
    id,
    title,
    claims,
    strategy,
    fault,
    ...(twinOf !== undefined && { twinOf }),
    startedAt,
    durationMs: recorder.durationMs,
    expected,
    verdict,
    ok: fired && proofs.every(({ ok }) => ok) && order.ok && meets(verdict, expected),
    why: conclusion.why,
    actors: [...recorder.actors.values()],
    steps: recorder.steps,
    proofs,
    order,
    rows,
    audit,
  };
}

/** A buyer was told yes, and the ledger knows nothing of it: no verdict of the ledger can say so. */
function lostOrder(numbers: readonly number[]): Conclusion {
  return {
    finding: 'LOST-UPDATE',
    why: `Order ${numbers.join(', ')} was confirmed to its buyer and is not in the ledger of this run.`,
  };
}

async function rowsOf(stage: Stage, { runId }: Audit): Promise<Rows> {
  const [goods = {}] = await stage.rows(
    'SELECT id, inventory, version, lease_seq AS leaseSeq, fence FROM goods WHERE id = ?',
    [GOODS],
  );
  const orders = await stage.rows(
    `SELECT COALESCE(number, id) AS orderId, kind, quantity, instance, before_inventory AS beforeInventory, after_inventory AS afterInventory,
            fence, lease_seq AS leaseSeq, idempotency_key AS idempotencyKey
     FROM orders WHERE run_id = ? ORDER BY id`,
    [runId],
  );
  return { goods, orders: orders as Rows['orders'] };
}
