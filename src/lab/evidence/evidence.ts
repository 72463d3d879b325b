export type {
  Actor,
  Evidence,
  Proof,
  ProvenFault,
  SourceLine as Source,
  Step,
  StepKind,
} from '../../contract/evidence.js';
export { breaks, type Expectation, type Finding, meets } from '../../contract/verdict.js';
