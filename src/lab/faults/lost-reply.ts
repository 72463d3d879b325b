import { type Buyer } from '../test-bed/buyer.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type PurchaseResult } from '../test-bed/purchase.js';
import { until } from '../until.js';
import { type Flows, type TcpProxy } from '../tcp-proxy.js';

const LOST_WITHIN_MS = 5000;

export interface Loss {
  readonly wire: TcpProxy;
  /** What is dropped: everything in one direction, or what contains a certain text. */
  readonly what: string;
  readonly flows: Flows;
  /** Whose connection breaks, and the name of the event. */
  readonly lane: string;
  readonly event: string;
  /** Another condition to wait for before the connection is closed. */
  readonly after?: () => Promise<boolean>;
}

/** Drops one direction of a connection during a request, then closes it. Returns the result of the request. */
export async function loseOnTheWay(run: ExperimentRun, loss: Loss, buyer: Buyer): Promise<PurchaseResult> {
  const { wire, what, flows, lane, event, after = () => Promise.resolve(true) } = loss;
  wire.set(flows);
  buyer.runToEnd();
  await until(`${what} is lost`, async () => wire.intercepted > 0 && (await after()), LOST_WITHIN_MS);
  run.recorder.awaitedCommands();
  run.proveFault(
    'lost-reply',
    `${what} was sent and dropped`,
    `${wire.intercepted} pieces`,
    wire.intercepted > 0,
  );
  wire.set({ requests: 'pass', answers: 'pass' });
  wire.reset();
  run.fault(lane, `${what} is dropped and the connection is closed`, event);
  return buyer.answer();
}
