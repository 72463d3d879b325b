import exec from 'k6/execution';

/** Ends the whole test with one line that says why; k6 exits with 108. */
export function stop(why: string): never {
  exec.test.abort(why);
  throw new Error(why);
}
