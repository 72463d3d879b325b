import { observed } from '../checkpoints/checkpoint.js';
import { observeCalls } from '../locks/index.js';

/** Reports what the locks in etcd and ZooKeeper send for a request. Only for armed instances. */
export function observeLockCalls(): void {
  observeCalls(({ service, text, queue, socket }, send) => {
    const over = () => {
      const stream = socket?.();
      return Promise.resolve(stream && { stream });
    };
    return observed(service, text, send, { keys: [queue], ...(socket && { over }) });
  });
}
