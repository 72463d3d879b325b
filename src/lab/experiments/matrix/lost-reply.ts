import { loseOnTheWay } from '../../faults/lost-reply.js';
import { TcpProxy } from '../../tcp-proxy.js';
import { type Conclusion } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { type Scenario, unlessBrokenAnyway } from './scenario.js';

/** A bought, but the answer is lost, so A retries. Only a strategy that recognises the retry sells once. */
export const LOST_REPLY: Scenario = {
  fault: 'lost-reply',
  title: 'The answer is lost, the buyer retries',
  label: 'answer lost',
  claims: ['P15'],
  claimsOf: { idempotent: ['C21'] },
  lease: 'long',
  stock: 2,
  appliesTo: unlessBrokenAnyway,
  // Only buyers of `idempotent` send an idempotency key.
  run: (run, { name }) =>
    sellOnceThoughAskedTwice(run, name, name === 'idempotent' ? { key: 'purchase-of-A' } : {}),
};

export async function sellOnceThoughAskedTwice(
  run: ExperimentRun,
  strategy: string,
  purchase: { readonly key?: string },
): Promise<Conclusion> {
  const wire = await TcpProxy.to(Number(new URL(run.instance(1).url).port));
  try {
    const a = run.buyer('A', 1, { ...purchase, via: `http://127.0.0.1:${wire.port}` });
    await a.runUntil(['afterCommit', 'afterReservation']);
    if (a.place === 'afterReservation' && strategy !== 'redis-lua') await a.runUntil(['afterCommit']);
    const loss = {
      wire,
      what: 'the answer',
      flows: { answers: 'drop' },
      lane: 'A',
      event: 'A cut off',
    } as const;
    const heard = await loseOnTheWay(run, loss, a);
    run.prove('A got no answer', heard.kind, heard.kind === 'unknown');
  } finally {
    await wire.close();
  }
  await run.settledAudit();
  const again = await run.buyer('A again', 2, purchase).finish();
  run.recorder.expectOrder('A cut off', `A again ${again.kind}`);
  const { orders } = await run.settledAudit();
  return orders > 1
    ? {
        finding: 'DUPLICATE',
        why: `One purchase, ${orders} orders: the service could not tell the retry from a new purchase.`,
      }
    : { why: 'The retry had the idempotency key of the first request and got its receipt.' };
}
