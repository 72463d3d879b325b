import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { until } from '../until.js';

/** As a client writes it on the wire. */
const subscribeTo = (channel: string) => `subscribe\r\n$${channel.length}\r\n${channel}\r\n`;

/** The wire keeps the next SUBSCRIBE back until it is told to let it go. */
export async function delaySubscribe(run: ExperimentRun, channel: string) {
  const { redis } = run.testBed;
  // The subscription of somebody who has waited before lasts a moment longer than his wait.
  await until('nobody listens yet', async () => (await redis.listeners(channel)) === 0);
  redis.wire.set({ requests: 'hold', containing: subscribeTo(channel) });
  return {
    held: async () => {
      await until('SUBSCRIBE is on its way', () => Promise.resolve(redis.wire.intercepted > 0));
      run.fault('redis', 'SUBSCRIBE is delayed on its way', 'SUBSCRIBE delayed');
    },
    deliver: async () => {
      const [kept, heard] = [redis.wire.intercepted, await redis.listeners(channel)];
      run.proveFault(
        'delayed-subscribe',
        'SUBSCRIBE was sent, and nobody has listened until now',
        `${kept} kept back, PUBSUB NUMSUB ${heard}`,
        kept > 0 && heard === 0,
      );
      run.fault('redis', 'SUBSCRIBE arrives', 'SUBSCRIBE arrives');
      redis.wire.set({ requests: 'pass' });
    },
  };
}
