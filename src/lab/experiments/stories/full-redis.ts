import { fillUp } from '../../faults/eviction.js';
import { type Experiment } from '../experiment.js';

/** P14, the other way round: a Redis that may not evict refuses newcomers, and keeps the lock. */
export const FULL_REDIS: readonly Experiment[] = [
  {
    id: 'noeviction',
    title: 'Redis is full, and keeps the lock',
    claims: ['P14'],
    strategy: 'setnx-lua',
    fault: 'eviction',
    twinOf: 'eviction.setnx-lua',
    expected: 'SAFE',
    lease: 'long',
    stock: 1,
    async run(scene) {
      const a = scene.buyer('A', 1);
      await a.runUntil(['afterRead']);
      const makeRoom = await fillUp(scene, scene.stage.redis.node);
      scene.fault('redis', 'full, and may not evict anything', 'Redis full');
      const b = scene.buyer('B', 2);
      const halt = await b.runUntil(['afterLock'], { orWaits: 'anywhere' });
      scene.prove('B cannot lock', `B ${halt}`, halt !== 'there');
      const first = await a.finish();
      await makeRoom();
      const second = await b.finish();
      const third = await scene.buyer('C', 2).finish();
      scene.recorder.expectOrder(
        'A afterRead',
        'Redis full',
        `B ${halt === 'waits' ? 'waits' : second.kind}`,
        `A ${first.kind}`,
        `C ${third.kind}`,
      );
      return { why: 'A’s lock was still there, so B had to wait, and found nothing left.' };
    },
  },
];
