import { type Invariant, NOT_APPLICABLE } from '../../src/contract/audit.js';

export type InvariantState = 'holds' | 'broken' | 'notApplicable';

export function stateOf({ ok, detail }: Invariant): InvariantState {
  if (!ok) return 'broken';
  return detail.startsWith(NOT_APPLICABLE) ? 'notApplicable' : 'holds';
}

/** The badge says that an invariant does not apply, so its detail need not repeat it. */
export function detailOf({ detail }: Invariant): string {
  return detail.startsWith(NOT_APPLICABLE) ? detail.slice(NOT_APPLICABLE.length) : detail;
}
