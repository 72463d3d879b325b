import { now } from '../clock.js';
import { type ClientLog } from './log.js';

const BEAT_MS = 20;
const LATE_MS = 30;

/** Logs how late the event loop of this process is: a call that takes long may be the machine's fault. */
export function logLag(log: ClientLog): () => void {
  let expected = now() + BEAT_MS;
  const timer = setInterval(() => {
    const at = now();
    if (at - expected > LATE_MS) log.run({ type: 'lag', ms: at - expected }, at);
    expected = at + BEAT_MS;
  }, BEAT_MS);
  return () => {
    clearInterval(timer);
  };
}
