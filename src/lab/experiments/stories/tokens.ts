import { lockKey } from '../lock-keys.js';
import { type Scene } from '../scene.js';
import { GOODS } from '../stage.js';

const COUNTER = `${lockKey('fenced')}:fence`;

/** The last token that the lock of `fencing-token` has handed out, as the Redis of the scene has it. */
export async function lastToken({ stage }: Scene): Promise<number> {
  return Number(await stage.redis.node.ask((client) => client.get(COUNTER)));
}

/** The largest token that the store has taken. */
export async function storedToken({ stage }: Scene): Promise<number> {
  const [row] = (await stage.rows('SELECT fence FROM goods WHERE id = ?', [GOODS])) as { fence: number }[];
  return Number(row?.fence);
}

/** The tokens of this run's orders, as they were written. */
async function writtenTokens({ stage }: Scene): Promise<number[]> {
  const rows = await stage.rows(
    'SELECT orders.fence FROM orders JOIN goods ON goods.run_id = orders.run_id WHERE goods.id = ? ORDER BY orders.id',
    [GOODS],
  );
  return (rows as { fence: number }[]).map(({ fence }) => fence);
}

/** What a check of the tokens alone can see. It stays green, whatever was sold. */
export async function proveRising(scene: Scene): Promise<void> {
  const tokens = await writtenTokens(scene);
  const rising = tokens.every((token, index) => index === 0 || token > (tokens[index - 1] ?? 0));
  scene.prove('the store has seen rising tokens only', tokens.join(', then '), rising && tokens.length > 0);
}
