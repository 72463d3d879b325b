import { type ShownId } from '../../contract/claims.js';
import { type Evidence, type Proof } from '../../contract/evidence.js';
import { type Expectation, type Finding, meets } from '../../contract/verdict.js';
import { golden } from '../evidence/golden.js';
import { ExperimentRun } from '../test-bed/experiment-run.js';
import { type LeaseLength } from '../test-bed/instance-pool.js';
import { Recorder, type Subscribers } from '../test-bed/recorder.js';
import { type TestBed } from '../test-bed/test-bed.js';

/** Why the experiment ended as it did, and its finding where the audit of the ledger cannot tell. */
export interface Conclusion {
  readonly finding?: Finding;
  readonly why: string;
}

export interface Experiment {
  /** Its name in the command line and in the URL. */
  readonly id: string;
  readonly title: string;
  /** The claims and interleavings that it shows. */
  readonly claims: readonly ShownId[];
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
  readonly run: (run: ExperimentRun) => Promise<Conclusion>;
}

/** Columns without an injected fault: only concurrency. */
const NO_FAULT = ['none', 'concurrency', 'several-instances'];

/** Whether the fault of this experiment fired. A pause alone proves nothing about a Redis fault. */
function hasFired(fault: string, proofs: readonly Proof[]): boolean {
  if (NO_FAULT.includes(fault)) return true;
  const needed = fault === 'pause-both' ? 'pause' : fault;
  return proofs.some((proof) => proof.fault === needed);
}

/** Runs an experiment once. A script that fails is recorded as evidence, not thrown. */
export async function perform(
  experiment: Experiment,
  testBed: TestBed,
  subscribers: Subscribers = {},
): Promise<Evidence> {
  subscribers.begun?.();
  const instances = await testBed.instances.acquire(experiment.lease, experiment.instances ?? 2);
  const run = new ExperimentRun(testBed, new Recorder(subscribers), experiment.strategy, instances);
  try {
    return await performOn(run, experiment);
  } finally {
    await run.close();
    // A killed instance restarts while the next experiment runs.
    await testBed.instances.refill();
  }
}

async function performOn(run: ExperimentRun, experiment: Experiment): Promise<Evidence> {
  const { id, title, claims, strategy, fault, twinOf, expected } = experiment;
  const { recorder } = run;
  let conclusion: Conclusion;
  try {
    await run.ready();
    await run.stock(experiment.stock);
    conclusion = await experiment.run(run);
  } catch (error) {
    run.prove('the experiment ran to its end', (error as Error).message, false);
    conclusion = { why: 'The experiment could not be carried out.' };
  } finally {
    await run.cleanUp();
  }
  const { runId, ...audit } = await run.settledAudit();
  const rows = await run.rows(runId);
  const unwritten = run.unwritten(rows);
  if (unwritten.length > 0) conclusion = { ...conclusion, ...lostOrder(unwritten.length) };
  const verdict = conclusion.finding ?? audit.verdict;
  const { proofs, order, trace, actors } = recorder;
  return golden({
    id,
    title,
    claims,
    strategy,
    fault,
    ...(twinOf !== undefined && { twinOf }),
    expected,
    verdict,
    ok: hasFired(fault, proofs) && proofs.every(({ ok }) => ok) && order.ok && meets(verdict, expected),
    why: conclusion.why,
    actors: [...actors.values()],
    trace,
    proofs,
    order,
    rows,
    audit,
  });
}

/** An order that was acknowledged to its buyer and is missing from the ledger: no audit of the ledger can find it. */
function lostOrder(count: number): Conclusion {
  return {
    finding: 'UNMATCHED',
    why: `${count} order${count === 1 ? ' was' : 's were'} acknowledged to the buyer and missing from the ledger of this run.`,
  };
}
