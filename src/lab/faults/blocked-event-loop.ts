import { rmSync, writeFileSync } from 'node:fs';
import { type Buyer } from '../test-bed/buyer.js';
import { type Instance } from '../test-bed/instance.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { until } from '../until.js';

/** A process that is not blocked answers in a few milliseconds, and on a busy machine within this. */
const NO_ANSWER_MS = 1000;
const BLOCKED_WITHIN_MS = 5000;

/** The instance of the buyer computes and serves neither timers nor sockets, until what is returned is called. */
export async function blockEventLoop(run: ExperimentRun, buyer: Buyer): Promise<() => Promise<void>> {
  const { name, at } = buyer;
  const whileFile = run.testBed.file('computing');
  writeFileSync(whileFile, '');
  buyer.act({ do: 'block', whileFile });
  // The order may reach it a moment later than the first question.
  await until(`${at.name} answers nobody`, async () => !(await answers(at)), BLOCKED_WITHIN_MS);
  run.fault(at.name, `${at.name} computes and answers nobody`, `${name} blocked`);
  return async () => {
    const { state = 'gone' } = at;
    const answered = await answers(at);
    run.proveFault(
      'pause',
      `${at.name} runs, and has served nobody until now`,
      `state ${state} in /proc, ${answered ? 'an' : 'no'} answer in ${NO_ANSWER_MS} ms`,
      state !== 'T' && state !== 'gone' && !answered,
    );
    rmSync(whileFile);
  };
}

async function answers({ url }: Instance): Promise<boolean> {
  return fetch(`${url}/health/live`, { signal: AbortSignal.timeout(NO_ANSWER_MS) }).then(
    () => true,
    () => false,
  );
}
