import { type ShownId } from '../../contract/claims.js';
import { type Evidence, type Expectation, type Finding, meets, type Proof } from '../evidence/evidence.js';
import { ExperimentRun } from '../test-bed/experiment-run.js';
import { type LeaseLength } from '../test-bed/instance-pool.js';
import { Recorder, type Subscribers } from '../test-bed/recorder.js';
import { type TestBed } from '../test-bed/test-bed.js';

/** What a script found, where the ledger alone cannot tell; and in any case why it ended so. */
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

/** Under these nothing has to go wrong: what happens is what buyers do to each other. */
const NO_FAULT = ['none', 'concurrency', 'several-instances'];

/** Its own fault, that is: a holder that is only stopped while Redis forgets proves nothing about Redis. */
function hasFired(fault: string, proofs: readonly Proof[]): boolean {
  if (NO_FAULT.includes(fault)) return true;
  const needed = fault === 'pause-both' ? 'pause' : fault;
  return proofs.some((proof) => proof.fault === needed);
}

/** Performs an experiment once. It never throws because of what it finds: a script that fails is evidence too. */
export async function perform(
  experiment: Experiment,
  testBed: TestBed,
  subscribers: Subscribers = {},
): Promise<Evidence> {
  const instances = await testBed.instances.acquire(experiment.lease, experiment.instances ?? 2);
  // Its clock begins with the run, not with the wait for instances that start again after the run before.
  const run = new ExperimentRun(testBed, new Recorder(subscribers), experiment.strategy, instances);
  try {
    return await performOn(run, experiment);
  } finally {
    await run.close();
    // Whoever was killed starts again while the next run is on.
    await testBed.instances.prepare(experiment.lease);
  }
}

async function performOn(run: ExperimentRun, experiment: Experiment): Promise<Evidence> {
  const { id, title, claims, strategy, fault, twinOf, expected } = experiment;
  const { recorder } = run;
  const startedAt = new Date().toISOString();
  let conclusion: Conclusion;
  try {
    await run.ready();
    await run.stock(experiment.stock);
    conclusion = await experiment.run(run);
  } catch (error) {
    run.prove('the script ran to its end', (error as Error).message, false);
    conclusion = { why: 'The experiment could not be carried out.' };
  } finally {
    await run.cleanUp();
  }
  const audit = await run.settledAudit();
  const rows = await run.rows(audit.runId);
  const unwritten = run.unwritten(rows);
  if (unwritten.length > 0) conclusion = { ...conclusion, ...lostOrder(unwritten) };
  const verdict = conclusion.finding ?? audit.verdict;
  const { proofs, order } = recorder;
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
    ok: hasFired(fault, proofs) && proofs.every(({ ok }) => ok) && order.ok && meets(verdict, expected),
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
    finding: 'UNMATCHED',
    why: `Order ${numbers.join(', ')} was confirmed to its buyer and is not in the ledger of this run.`,
  };
}
