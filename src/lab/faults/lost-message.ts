import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { until } from '../until.js';

const LOST_WITHIN_MS = 5000;

/** As Redis writes it on the wire to those who listen. */
const messageOf = (channel: string) => `message\r\n$${channel.length}\r\n${channel}\r\n`;

/** The wire loses what Redis says to its subscribers, until it is told that this was enough. */
export async function loseMessages(run: ExperimentRun, channel: string) {
  const { redis } = run.testBed;
  const heard = await redis.listeners(channel);
  run.proveFault('lost-message', 'B listens', `PUBSUB NUMSUB ${heard}`, heard === 1);
  redis.wire.set({ answers: 'drop', containing: messageOf(channel) });
  return {
    lost: async () => {
      await until('a message is lost', () => Promise.resolve(redis.wire.intercepted > 0), LOST_WITHIN_MS);
      const lost = redis.wire.intercepted;
      run.proveFault('lost-message', 'the message was sent and lost on its way', `${lost} lost`, lost > 0);
      run.fault('redis', 'the message that the lock is free is lost', 'message lost');
      redis.wire.set({ answers: 'pass' });
    },
  };
}
