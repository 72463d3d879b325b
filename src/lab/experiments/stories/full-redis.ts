import { fillUp } from '../../faults/eviction.js';
import { type Experiment } from '../experiment.js';

/** P14, the opposite case: a full Redis with noeviction rejects new writes and keeps the lock. */
export const FULL_REDIS: readonly Experiment[] = [
  {
    id: 'noeviction',
    title: 'Redis is full and keeps the lock',
    claims: ['P14'],
    strategy: 'setnx-lua',
    fault: 'eviction',
    twinOf: 'eviction.setnx-lua',
    expected: 'SAFE',
    lease: 'long',
    stock: 1,
    async run(run) {
      const a = run.buyer('A', 1);
      await a.runUntil(['afterRead']);
      const makeRoom = await fillUp(run, run.testBed.redis.node);
      run.fault('redis', 'is full and may not evict', 'Redis full');
      const b = run.buyer('B', 2);
      const halt = await b.runUntil(['afterLock'], { orWaits: 'anywhere' });
      run.prove('B cannot acquire the lock', `B ${halt}`, halt !== 'there');
      const first = await a.finish();
      await makeRoom();
      const second = await b.finish();
      const third = await run.buyer('C', 2).finish();
      run.recorder.expectOrder(
        'A afterRead',
        'Redis full',
        `B ${halt === 'waits' ? 'waits' : second.kind}`,
        `A ${first.kind}`,
        `C ${third.kind}`,
      );
      return { why: 'A’s lock was still there, so B had to wait and found no stock left.' };
    },
  },
];
