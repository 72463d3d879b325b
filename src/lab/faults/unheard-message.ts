import { type Scene } from '../experiments/scene.js';
import { until } from '../until.js';

/** SUBSCRIBE and a message, as Redis and its clients write them on the wire. */
const SUBSCRIBE = '$9\r\nsubscribe\r\n';
const MESSAGE = '$7\r\nmessage\r\n';

/** How many processes listen on the channel. */
async function listeners({ stage }: Scene, channel: string): Promise<number> {
  const [, count] = (await stage.redis.node.ask((client) => client.pubsub('NUMSUB', channel))) as [
    string,
    number,
  ];
  return count;
}

/** The wire keeps the next SUBSCRIBE back until it is told to let it go. */
export async function holdSubscribe(scene: Scene, channel: string) {
  const { wire } = scene.stage.redis;
  // The subscription of somebody who has waited before lasts a moment longer than his wait.
  await until('nobody listens yet', async () => (await listeners(scene, channel)) === 0);
  const before = wire.intercepted;
  wire.set({ requests: 'hold', containing: SUBSCRIBE });
  return {
    held: async () => {
      await until('SUBSCRIBE is on its way', () => Promise.resolve(wire.intercepted > before));
      scene.fault('redis', 'SUBSCRIBE is delayed on its way', 'SUBSCRIBE delayed');
    },
    letGo: async () => {
      const heard = await listeners(scene, channel);
      scene.prove('nobody has listened until now', `PUBSUB NUMSUB ${heard}`, heard === 0);
      scene.fault('redis', 'SUBSCRIBE arrives', 'SUBSCRIBE arrives');
      wire.set({ requests: 'pass' });
    },
  };
}

/** The wire loses what Redis says to its subscribers, until it is told not to. */
export async function loseMessages(scene: Scene, channel: string) {
  const { wire } = scene.stage.redis;
  const heard = await listeners(scene, channel);
  scene.prove('B listens', `PUBSUB NUMSUB ${heard}`, heard === 1);
  const before = wire.intercepted;
  wire.set({ answers: 'drop', containing: MESSAGE });
  return {
    lost: async () => {
      await until('a message is lost', () => Promise.resolve(wire.intercepted > before));
      const lost = wire.intercepted - before;
      scene.prove('the message was sent and lost on its way', `${lost} lost`, lost > 0);
      scene.fault('redis', 'the message that the lock is free is lost', 'message lost');
      wire.set({ answers: 'pass' });
    },
  };
}
