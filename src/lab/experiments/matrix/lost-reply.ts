import { loseOnTheWay } from '../../faults/lost-reply.js';
import { TcpProxy } from '../../faults/tcp-proxy.js';
import { type Conclusion } from '../experiment.js';
import { type Scene } from '../scene.js';
import { type Scenario, unlessBrokenAnyway } from './scenario.js';

/** A has bought, but the answer is lost; so A asks again. Only who can tell a repetition sells once. */
export const LOST_REPLY: Scenario = {
  fault: 'lost-reply',
  title: 'The answer is lost, the buyer asks again',
  label: 'answer lost',
  claims: ['P15'],
  claimsOf: { idempotent: ['C21'] },
  lease: 'long',
  stock: 2,
  appliesTo: unlessBrokenAnyway,
  // `idempotent` is the strategy whose buyers give their purchase a name; the others' do not.
  run: (scene, { name }) =>
    sellOnceThoughAskedTwice(scene, name, name === 'idempotent' ? { key: 'purchase-of-A' } : {}),
};

export async function sellOnceThoughAskedTwice(
  scene: Scene,
  strategy: string,
  purchase: { readonly key?: string },
): Promise<Conclusion> {
  const wire = await TcpProxy.to(Number(new URL(scene.instance(1).url).port));
  try {
    const a = scene.buyer('A', 1, { ...purchase, via: `http://127.0.0.1:${wire.port}` });
    await a.runUntil(['afterCommit', 'afterGate']);
    if (a.place === 'afterGate' && strategy !== 'redis-lua') await a.runUntil(['afterCommit']);
    const loss = {
      wire,
      what: 'the answer',
      flows: { answers: 'drop' },
      lane: 'A',
      event: 'A cut off',
    } as const;
    const heard = await loseOnTheWay(scene, loss, () => a.finish());
    scene.prove('A knows nothing', heard.kind, heard.kind === 'unknown');
  } finally {
    await wire.close();
  }
  await scene.settledAudit();
  const again = await scene.buyer('A again', 2, purchase).finish();
  scene.recorder.expectOrder('A cut off', `A again ${again.kind}`);
  const { orders } = await scene.settledAudit();
  return orders > 1
    ? {
        finding: 'DUPLICATE',
        why: `One purchase, ${orders} orders: nothing told the second request from a new one.`,
      }
    : { why: 'The second request had the name of the first, and got its receipt.' };
}
