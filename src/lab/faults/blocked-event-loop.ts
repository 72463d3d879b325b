import { rmSync, writeFileSync } from 'node:fs';
import { type Buyer } from '../test-bed/buyer.js';
import { type Instance } from '../test-bed/instance.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { until } from '../until.js';

/** An unblocked process answers within this time even on a busy machine. */
const NO_ANSWER_MS = 1000;
const BLOCKED_WITHIN_MS = 5000;

/** Blocks the event loop of the buyer's instance: no timers, no sockets. The returned function ends that. */
export async function blockEventLoop(run: ExperimentRun, buyer: Buyer): Promise<() => Promise<void>> {
  const { name, at } = buyer;
  const whileFile = run.testBed.file('computing');
  writeFileSync(whileFile, '');
  buyer.act({ do: 'block', whileFile });
  // The instruction may arrive after the first probe.
  await until(`${at.name} answers no request`, async () => !(await answers(at)), BLOCKED_WITHIN_MS);
  run.fault(at.name, `${at.name} computes and answers no request`, `${name} blocked`);
  return async () => {
    const { state = 'gone' } = at;
    const answered = await answers(at);
    run.proveFault(
      'pause',
      `${at.name} runs and has answered no request`,
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
