import { useEffect, useState } from 'preact/hooks';
import { type LoadResult, type RunRecord, type Sample } from '../../src/contract/lab-runs.js';
import { followRun, readRun } from '../client/runs.js';
import { type Loaded, useLoaded } from './use-loaded.js';

interface Live {
  readonly id: string;
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  readonly results: readonly LoadResult[];
}

/** A run: its record if it has ended, or everything that was measured so far if it is in progress. */
export function useRun(id: string): Loaded<RunRecord> {
  const loaded = useLoaded((signal) => readRun(id, signal), id);
  const [live, setLive] = useState<Live>({ id, samples: {}, results: [] });
  const [failure, setFailure] = useState<unknown>(undefined);
  const running = loaded.value?.state === 'running';
  useEffect(() => {
    if (!running) return undefined;
    // The stream begins with all earlier events, so nothing is missing after a reload.
    setLive({ id, samples: {}, results: [] });
    setFailure(undefined);
    return followRun(id, {
      sample: (sample) => {
        setLive((before) => ({ ...before, samples: withSample(before.samples, sample) }));
      },
      result: (result) => {
        setLive((before) => ({ ...before, results: [...before.results, result] }));
      },
      end: loaded.again,
      failed: setFailure,
    });
  }, [id, running]);
  if (!running || live.id !== id) return loaded;
  const value = { ...loaded.value, samples: live.samples, results: live.results };
  return { ...loaded, value, error: failure };
}

function withSample(samples: Live['samples'], sample: Sample): Live['samples'] {
  return { ...samples, [sample.strategy]: [...(samples[sample.strategy] ?? []), sample] };
}
