/** Something the user can act on; its message says what to do. Printed without a stack. */
export class LabError extends Error {}
