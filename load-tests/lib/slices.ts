import exec from 'k6/execution';

/** The tag of the current part of the test. */
export function currentSlice(slices: number): { readonly slice: string } {
  return { slice: String(Math.min(slices, Math.floor(exec.scenario.progress * slices) + 1)) };
}
