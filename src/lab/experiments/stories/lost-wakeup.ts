import { delaySubscribe } from '../../faults/delayed-subscribe.js';
import { loseMessages } from '../../faults/lost-message.js';
import { type Buyer } from '../../test-bed/buyer.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { type PurchaseResult } from '../../test-bed/purchase.js';
import { lockKey } from '../../test-bed/lock-keys.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** P17: the holder releases the lock between the waiter's failed attempt and its SUBSCRIBE. A waiter that does not retry after SUBSCRIBE sleeps although the lock is free. */
const DELAYED: Experiment = {
  id: 'lost-wakeup',
  title: 'The lock is released before the waiter has subscribed',
  claims: ['C15', 'P17'],
  strategy: 'try-then-subscribe',
  fault: 'delayed-subscribe',
  expected: 'BLOCKED',
  lease: 'long',
  stock: 2,
  async run(run) {
    const [a, b] = [run.buyer('A', 1), run.buyer('B', 2)];
    await a.runUntil(['afterRead']);
    const subscribe = await delaySubscribe(run, `${lockOf(run)}:free`);
    const tries = b.runUntil([], { orWaits: 'anywhere' });
    await subscribe.held();
    await a.finish();
    await subscribe.deliver();
    await tries;
    const answer = await endOfWait(run, b);
    run.recorder.expectOrder('A afterRead', 'SUBSCRIBE delayed', 'A sold', `B ${answer.kind}`);
    return conclude(answer, 'B subscribed after the message was published');
  },
};

/** C15: the release message is lost. Only a waiter with a bounded wait retries. */
const LOST: Experiment = {
  ...DELAYED,
  id: 'unlock-message-lost',
  title: 'The release message is lost',
  claims: ['C15'],
  fault: 'lost-message',
  async run(run) {
    const [a, b] = [run.buyer('A', 1), run.buyer('B', 2)];
    await a.runUntil(['afterRead']);
    await b.runUntil([], { orWaits: 'anywhere' });
    const message = await loseMessages(run, `${lockOf(run)}:free`);
    await a.finish();
    await message.lost();
    const answer = await endOfWait(run, b);
    run.recorder.expectOrder('A afterRead', 'B waits', 'A sold', `B ${answer.kind}`);
    return conclude(answer, 'The message was lost');
  },
};

function lockOf({ strategy }: ExperimentRun): string {
  return lockKey(strategy);
}

async function endOfWait(run: ExperimentRun, b: Buyer): Promise<PurchaseResult> {
  const answer = await b.finish();
  const held = await run.testBed.redis.node.ask((client) => client.exists(lockOf(run)));
  run.prove('A has released the lock', `EXISTS ${held}`, held === 0);
  return answer;
}

function conclude(answer: PurchaseResult, reason: string): Conclusion {
  return answer.kind === 'refused' && answer.type === 'lock-timeout'
    ? {
        finding: 'BLOCKED',
        why: `${reason}, so B slept until its wait timed out, although the lock was free.`,
      }
    : { why: `${reason}, but B retried by itself and bought.` };
}

function twinOf(experiment: Experiment, id: string, title: string): Experiment {
  return { ...experiment, id, title, strategy: 'reentrant', twinOf: experiment.id, expected: 'SAFE' };
}

export const LOST_WAKEUP: readonly Experiment[] = [
  DELAYED,
  twinOf(DELAYED, 'try-again-after-subscribe', 'The waiter retries after it has subscribed'),
  LOST,
  twinOf(LOST, 'bounded-wait', 'The release message is lost, but the wait is bounded'),
];
