import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { until } from '../until.js';
import { type Flows, type TcpProxy } from '../tcp-proxy.js';

const LOST_WITHIN_MS = 5000;

export interface Loss {
  readonly wire: TcpProxy;
  /** What is lost: in one direction nothing arrives any more, or nothing that contains a certain text. */
  readonly what: string;
  readonly flows: Flows;
  /** Who sees the connection break, and what that is called in the order of events. */
  readonly lane: string;
  readonly event: string;
  /** What else must have happened before the connection breaks. */
  readonly after?: () => Promise<boolean>;
}

/** A wire that works one way only while somebody asks; then the connection breaks. Answers with what he heard. */
export async function loseOnTheWay<T>(run: ExperimentRun, loss: Loss, ask: () => Promise<T>): Promise<T> {
  const { wire, what, flows, lane, event, after = () => Promise.resolve(true) } = loss;
  wire.set(flows);
  const heard = ask();
  await until(`${what} is lost`, async () => wire.intercepted > 0 && (await after()), LOST_WITHIN_MS);
  run.proveFault(
    'lost-reply',
    `${what} was sent and lost`,
    `${wire.intercepted} pieces`,
    wire.intercepted > 0,
  );
  wire.set({ requests: 'pass', answers: 'pass' });
  wire.reset();
  run.fault(lane, `the connection breaks; ${what} was lost on its way`, event);
  return heard;
}
