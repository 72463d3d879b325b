/** Something the user can act on; its message says what to do. Printed without a stack. */
export class LabError extends Error {}

/** A command that cannot be understood. It ends with exit code 2. */
export class UsageError extends LabError {}
