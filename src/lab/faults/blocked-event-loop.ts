import { rmSync, writeFileSync } from 'node:fs';
import { type Buyer } from '../experiments/buyer.js';
import { type Player } from '../experiments/player.js';
import { type Scene } from '../experiments/scene.js';
import { until } from '../until.js';

/** A process that is not blocked answers in a few milliseconds, and on a busy machine within this. */
const NO_ANSWER_MS = 1000;
const BLOCKED_WITHIN_MS = 5000;

/** The instance of the buyer computes and serves neither timers nor sockets, until what is returned is called. */
export async function blockEventLoop(scene: Scene, buyer: Buyer): Promise<() => Promise<void>> {
  const { name, at } = buyer;
  const whileFile = scene.stage.file('computing');
  writeFileSync(whileFile, '');
  buyer.obey({ do: 'block', whileFile });
  // The order may reach it a moment later than the first question.
  await until(`${at.name} answers nobody`, async () => !(await answers(at)), BLOCKED_WITHIN_MS);
  scene.fault(at.name, `${at.name} computes and answers nobody`, `${name} blocked`);
  return async () => {
    const { state = 'gone' } = at;
    const answered = await answers(at);
    scene.proveFault(
      'pause',
      `${at.name} runs, and has served nobody until now`,
      `state ${state} in /proc, ${answered ? 'an' : 'no'} answer in ${NO_ANSWER_MS} ms`,
      state !== 'T' && state !== 'gone' && !answered,
    );
    rmSync(whileFile);
  };
}

async function answers({ url }: Player): Promise<boolean> {
  return fetch(`${url}/health/live`, { signal: AbortSignal.timeout(NO_ANSWER_MS) }).then(
    () => true,
    () => false,
  );
}
