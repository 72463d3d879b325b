import { type Lease, type Lock, type MultiLock } from '../../../src/locks/index.js';
import { type Key } from '../plan/plan.js';

/** A lock object with connections of its own, as one process of an application has it. */
export interface FuzzClient {
  /** A plan's key as this engine calls it. */
  name(key: Key): string;
  lock(role: 'writer' | 'reader'): Lock;
  readonly multi?: MultiLock;
  downgrade?(lease: Lease): Promise<Lease>;
  close(): Promise<void>;
}
