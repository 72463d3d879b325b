/** A process with one client of a plan at a time. It is told what to do over its IPC channel, and reports events on it. */
import { type ClientJob, type ClientRun, LocalClientRun, type NamedCaller } from '../client/client-run.js';
import { type Event } from '../history.js';
import { kindNamed } from '../kinds/index.js';
import { Timers } from '../../support/timers.js';

export type Order =
  | { readonly do: 'open'; readonly job: ClientJob }
  | { readonly do: 'perform'; readonly callers: readonly NamedCaller[]; readonly startAt: number }
  | { readonly do: 'close' }
  | { readonly do: 'list timers' };

export type Report =
  | { readonly event: Event }
  | { readonly done: Order['do']; readonly error?: string; readonly timers?: readonly string[] };

let run: ClientRun | undefined;
let timers: Timers | undefined;

function tell(report: Report): void {
  process.send?.(report);
}

async function obey(order: Order): Promise<readonly string[] | undefined> {
  switch (order.do) {
    case 'open':
      timers?.stop();
      timers = new Timers();
      run = await LocalClientRun.open(kindNamed(order.job.kind), order.job, (event) => {
        tell({ event });
      });
      return undefined;
    case 'perform':
      await run?.perform(order.callers, order.startAt);
      return undefined;
    case 'close':
      await run?.close();
      return undefined;
    case 'list timers':
      return timers?.setBy;
  }
}

process.on('message', (order: Order) => {
  obey(order).then(
    (left) => {
      tell({ done: order.do, ...(left !== undefined && { timers: left }) });
    },
    (error: unknown) => {
      tell({ done: order.do, error: String(error) });
    },
  );
});
// Without the fuzzer there is nothing to do.
process.on('disconnect', () => process.exit());
