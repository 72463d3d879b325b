import { type ShownId } from '../../contract/claims.js';
import { type Experiment } from './experiment.js';

/** The experiments that show a claim or an interleaving: those that break first, then their harmless twins. */
export function experimentsShowing<E extends Pick<Experiment, 'claims' | 'twinOf'>>(
  experiments: readonly E[],
  id: ShownId,
): E[] {
  const shown = experiments.filter(({ claims }) => claims.includes(id));
  return [...shown.filter(({ twinOf }) => !twinOf), ...shown.filter(({ twinOf }) => twinOf)];
}
