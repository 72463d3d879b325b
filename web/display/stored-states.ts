import { type Step, type StoredState } from '../../src/contract/evidence.js';

/** What is stored after each step. A step without a state leaves it as it was. */
export function storedStates(steps: readonly Step[]): readonly (StoredState | undefined)[] {
  let state: StoredState | undefined;
  return steps.map(({ after }) => (state = after ?? state));
}
