import { useEffect, useState } from 'preact/hooks';
import { type Actor, type Evidence, type Proof, type Step } from '../../src/contract/evidence.js';
import { type ExperimentView } from '../../src/contract/lab-experiments.js';
import { followExperiment, listExperiments, readEvidence, startExperiment } from '../client/experiments.js';
import { withToken } from './token.js';
import { type Action, useAction } from './use-action.js';
import { type Loaded, useLoaded } from './use-loaded.js';

export interface Told {
  readonly experiment: ExperimentView | undefined;
  readonly evidence: Evidence | undefined;
  /** The same experiment without its fault. */
  readonly twin: ExperimentView | undefined;
}

/** The events of a running experiment so far. */
export interface LiveStory {
  readonly actors: readonly Actor[];
  readonly steps: readonly Step[];
  readonly proofs: readonly Proof[];
}

export interface ExperimentState {
  readonly loaded: Loaded<Told>;
  readonly live: LiveStory | undefined;
  /** Why the last attempt failed. */
  readonly failure: unknown;
  readonly run: Action;
}

/** An experiment with its last evidence, and with its events while it runs again. */
export function useExperiment(id: string): ExperimentState {
  const loaded = useLoaded((signal) => read(id, signal), id);
  const [live, setLive] = useState<LiveStory | undefined>(undefined);
  const [failure, setFailure] = useState<unknown>(undefined);
  const running = live !== undefined;
  const known = loaded.value?.evidence?.actors ?? [];
  const run = useAction(async () => {
    setFailure(undefined);
    await withToken((token) => startExperiment(id, token));
    setLive({ actors: known, steps: [], proofs: [] });
  });
  useEffect(() => {
    if (!running) return undefined;
    return followExperiment(id, {
      step: (step) => {
        setLive(
          (before) =>
            before && { ...before, actors: withActors(before.actors, step), steps: [...before.steps, step] },
        );
      },
      returned: ({ step, answer }) => {
        setLive(
          (before) =>
            before && {
              ...before,
              steps: before.steps.map((one, index) => (index === step ? { ...one, answer } : one)),
            },
        );
      },
      proof: (proof) => {
        setLive((before) => before && { ...before, proofs: [...before.proofs, proof] });
      },
      end: ({ verdict, why }) => {
        setLive(undefined);
        if (verdict === undefined) setFailure(new Error(why));
        loaded.again();
      },
      failed: (caught) => {
        setLive(undefined);
        setFailure(caught);
      },
    });
  }, [id, running]);
  return { loaded, live, failure, run };
}

async function read(id: string, signal: AbortSignal): Promise<Told> {
  const all = await listExperiments(signal);
  const experiment = all.find((one) => one.id === id);
  const twin = all.find(({ twinOf }) => twinOf === id);
  return { experiment, twin, evidence: experiment?.last && (await readEvidence(id, signal)) };
}

/** The list of actors comes with the evidence at the end. Until then, a new actor is shown by its name. */
function withActors(actors: readonly Actor[], { actor, to }: Step): readonly Actor[] {
  const named = [actor, ...(to === undefined ? [] : [to])];
  const unlisted = named.filter((one) => !actors.some(({ id }) => id === one));
  return [...actors, ...unlisted.map((one) => ({ id: one, kind: 'other' as const, label: one }))];
}
