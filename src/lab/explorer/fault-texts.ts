import { type Faults } from './injected-faults.js';

export const FAULT_TEXTS: Readonly<Record<Faults, string>> = {
  none: 'no faults',
  expire: 'at any point, once, the lease of the lock holder ends while its process is paused',
  crash: 'at any point, once, the process of a buyer is killed',
  'lost-reply':
    'at any point, once, the answer of a server or of the service is lost; a buyer without a usable answer asks once more',
  any: 'at any point, once, a lease ends, a process is killed, or an answer is lost',
  'expire-late': 'once, after the lock holder has committed, its lease ends while its process is paused',
};
