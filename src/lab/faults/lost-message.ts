import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { until } from '../until.js';

const LOST_WITHIN_MS = 5000;

/** A published message in the Redis protocol. */
const messageOf = (channel: string) => `message\r\n$${channel.length}\r\n${channel}\r\n`;

/** The proxy drops published messages until `lost` resolves. */
export async function loseMessages(run: ExperimentRun, channel: string) {
  const { redis } = run.testBed;
  const heard = await redis.listeners(channel);
  run.proveFault('lost-message', 'B is subscribed', `PUBSUB NUMSUB ${heard}`, heard === 1);
  redis.wire.set({ answers: 'drop', containing: messageOf(channel) });
  return {
    lost: async () => {
      await until('a message is lost', () => Promise.resolve(redis.wire.intercepted > 0), LOST_WITHIN_MS);
      const lost = redis.wire.intercepted;
      run.proveFault('lost-message', 'the message was sent and dropped', `${lost} lost`, lost > 0);
      run.fault('redis', 'the release message is dropped', 'message lost');
      redis.wire.set({ answers: 'pass' });
    },
  };
}
