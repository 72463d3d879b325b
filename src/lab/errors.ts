/** An error that the user can resolve; its message says how. Printed without a stack. */
export class LabError extends Error {}

/** Wrong arguments. The command ends with exit code 2. */
export class UsageError extends LabError {}

/** The cause of an error of `fetch`: its code, or its message. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
