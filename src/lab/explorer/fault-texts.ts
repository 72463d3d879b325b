import { type Faults } from './real-system.js';

export const FAULT_TEXTS: Readonly<Record<Faults, string>> = {
  none: 'no faults',
  expire: 'at any point, once, the lease of the lock holder ends while its process is paused',
  'expire-late': 'once, after the lock holder has committed, its lease ends while its process is paused',
};
