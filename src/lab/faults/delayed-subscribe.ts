import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { until } from '../until.js';

/** SUBSCRIBE in the Redis protocol. */
const subscribeTo = (channel: string) => `subscribe\r\n$${channel.length}\r\n${channel}\r\n`;

/** The proxy holds the next SUBSCRIBE back until `deliver` is called. */
export async function delaySubscribe(run: ExperimentRun, channel: string) {
  const { redis } = run.testBed;
  // The subscription of an earlier waiter may last a moment longer than its wait.
  await until('no client is subscribed', async () => (await redis.listeners(channel)) === 0);
  redis.wire.set({ requests: 'hold', containing: subscribeTo(channel) });
  return {
    held: async () => {
      await until('SUBSCRIBE reaches the proxy', () => Promise.resolve(redis.wire.intercepted > 0));
      run.recorder.awaitedCommands();
      run.fault('redis', 'SUBSCRIBE is delayed by the proxy', 'SUBSCRIBE delayed');
    },
    deliver: async () => {
      const [kept, heard] = [redis.wire.intercepted, await redis.listeners(channel)];
      run.proveFault(
        'delayed-subscribe',
        'SUBSCRIBE was sent and no client is subscribed yet',
        `${kept} kept back, PUBSUB NUMSUB ${heard}`,
        kept > 0 && heard === 0,
      );
      run.fault('redis', 'SUBSCRIBE arrives', 'SUBSCRIBE arrives');
      redis.wire.set({ requests: 'pass' });
    },
  };
}
