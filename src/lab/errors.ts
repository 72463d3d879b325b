import { types } from 'node:util';

const { isNativeError } = types;

/** An error that the user can resolve; its message says how. Printed without a stack. */
export class LabError extends Error {}

/** Wrong arguments. The command ends with exit code 2. */
export class UsageError extends LabError {}

/** The cause of an error of `fetch`: its code, or its message. */
export function reasonOf(error: unknown): string {
  // Not instanceof: the error of `fetch` may come from another realm, as it does in a test.
  const cause = isNativeError(error) && isNativeError(error.cause) ? error.cause : error;
  if (!isNativeError(cause)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
