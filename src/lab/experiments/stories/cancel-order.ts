import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** A buyer cancels an order. */
export async function cancelOrder(
  run: ExperimentRun,
  buyer: string,
  { orderId, cancelToken }: { readonly orderId: number; readonly cancelToken: string },
): Promise<void> {
  const { name, url } = run.instance(2);
  const { recorder } = run;
  recorder.step({ actor: buyer, to: name, kind: 'request', text: 'cancels its order' });
  const { ok, status } = await fetch(`${url}/orders/${orderId}/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ cancelToken }),
  });
  recorder.step({ actor: name, to: buyer, kind: 'answer', text: ok ? 'cancelled' : `${status}` });
  recorder.event(ok ? `${buyer} cancelled` : `${buyer} not cancelled`);
}
