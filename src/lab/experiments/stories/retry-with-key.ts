import { type Experiment } from '../experiment.js';
import { sellOnceThoughAskedTwice } from '../matrix/lost-reply.js';

/** C21: the same as `lost-reply`, for a buyer that sends an idempotency key with every purchase. */
export const LOST_REPLY_WITH_KEY: readonly Experiment[] = ['for-update', 'setnx-lua', 'redis-lua'].map(
  (strategy) => ({
    id: `retry-with-key.${strategy}`,
    title: `The answer is lost; the buyer retries with the same key: ${strategy}`,
    claims: ['C21', 'P15'],
    strategy,
    fault: 'lost-reply',
    twinOf: `lost-reply.${strategy}`,
    expected: 'SAFE',
    lease: 'long',
    stock: 2,
    run: (run) => sellOnceThoughAskedTwice(run, strategy, { key: 'purchase-of-A' }),
  }),
);
