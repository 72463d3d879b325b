/** Something the user can act on; its message says what to do. Printed without a stack. */
export class LabError extends Error {}

/** A command that cannot be understood. It ends with exit code 2. */
export class UsageError extends LabError {}

/** The cause of an error of `fetch`: its code, or its message. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
