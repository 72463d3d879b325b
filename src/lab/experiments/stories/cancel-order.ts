import { BUYER_HEADER } from '../../../checkpoints/checkpoint-protocol.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** A buyer cancels an order. */
export async function cancelOrder(
  run: ExperimentRun,
  buyer: string,
  { orderId, cancelToken }: { readonly orderId: number; readonly cancelToken: string },
): Promise<void> {
  const { name, url } = run.instance(2);
  const { recorder } = run;
  const id = run.observe(buyer, 2);
  recorder.step({ actor: buyer, to: name, kind: 'request', text: 'cancels its order' });
  const { ok, status } = await fetch(`${url}/orders/${orderId}/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [BUYER_HEADER]: id },
    body: JSON.stringify({ cancelToken }),
  });
  recorder.awaited(id);
  recorder.step({ actor: name, to: buyer, kind: 'answer', text: ok ? 'cancelled' : `${status}` });
  recorder.event(ok ? `${buyer} cancelled` : `${buyer} not cancelled`);
}
