import { type PoolView } from '../../../contract/lab-system.js';

export interface InstanceMetrics {
  readonly pool: PoolView;
  readonly streamLag: number | null;
}

const ANSWER_WITHIN_MS = 1000;
const POOL = 'lockstock_pool_connections';
const LAG = 'lockstock_accepted_orders_waiting';

/** The metrics of an instance, or undefined while it does not answer. */
export async function instanceMetrics(instance: string, url: string): Promise<InstanceMetrics | undefined> {
  try {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const text = await response.text();
    const pool = (state: string) => valueOf(text, `${POOL}{state="${state}"}`) ?? 0;
    return {
      pool: { instance, limit: pool('limit'), inUse: pool('in-use'), waiting: pool('waiting') },
      streamLag: valueOf(text, LAG),
    };
  } catch {
    return undefined;
  }
}

/** One value of the text format: its line begins with the name and ends with the number. */
function valueOf(text: string, name: string): number | null {
  const at = text.indexOf(`\n${name} `);
  if (at < 0) return null;
  const value = Number(text.slice(at + name.length + 2, text.indexOf('\n', at + 1)));
  return Number.isFinite(value) ? value : null;
}
