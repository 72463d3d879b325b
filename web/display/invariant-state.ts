import { type Invariant } from '../../src/contract/audit.js';

export type InvariantState = 'holds' | 'broken' | 'notApplicable';

/** The judge says in the detail when an invariant does not apply, and then lets it hold. */
export function stateOf({ ok, detail }: Invariant): InvariantState {
  if (!ok) return 'broken';
  return detail.startsWith('not applicable') ? 'notApplicable' : 'holds';
}
