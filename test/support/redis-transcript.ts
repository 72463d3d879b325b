import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Redis } from 'ioredis';
import { SERVICE_ACCOUNT } from '../../src/lab/engines/redis.js';
import { ROOT } from '../../src/lab/paths.js';
import { redisStockKeys } from '../../src/redis-stock/redis-stock-keys.js';
import { eventually } from './eventually.js';
import { type TestShop } from './test-shop.js';

/** Something that reached a server, and when, in seconds. */
export interface Sent {
  readonly at: number;
  readonly text: string;
}

/** What an instance sends on a timer: the questions of every second, and renewals when the machine is slow. */
const BACKGROUND =
  /^(SMEMBERS|XAUTOCLAIM|XREADGROUP|HKEYS|HGET \S+:gate id|PING|INFO|XLEN|EVALSHA \S+-renew\.lua)\b/;

/** Starts to listen; `end` waits until all that has left the gate of goods 1 has arrived, and says what was heard. */
export async function recordRedis(shop: TestShop): Promise<{ end(): Promise<Sent[]> }> {
  const lab = shop.redis();
  const ear = await listen(lab);
  const addresses = await serviceAddresses(lab);
  const heard: Sent[] = [];
  let ended = false;
  let inScript = false;
  ear.on('monitor', (time: string, args: string[], source: string) => {
    if (args[1] === 'end of the transcript') ended = true;
    const text = readable(args);
    if (source !== 'lua') inScript = addresses.has(source) && !BACKGROUND.test(text);
    // MONITOR also reports the commands inside a script, after the call.
    if (inScript)
      heard.push({ at: Number(time), text: `-- ${source === 'lua' ? '  lua' : 'redis'}> ${text}` });
  });
  return {
    async end() {
      await emptied(lab);
      await lab.echo('end of the transcript');
      await eventually('the end is heard', () => ended);
      ear.disconnect();
      lab.disconnect();
      return withoutCache(heard);
    },
  };
}

const TRIES = 10;

/**
 * As `lab.monitor()`, but it retries after an error: when Redis reports the command of another client together with its
 * answer to MONITOR, ioredis fails because of the unexpected answer.
 */
async function listen(lab: Redis, tries = TRIES): Promise<Redis> {
  const ear = lab.duplicate({ monitor: true });
  ear.on('error', () => undefined);
  try {
    await once(ear, 'monitoring');
    return ear;
  } catch (error) {
    ear.disconnect();
    if (tries === 1) throw error;
    return listen(lab, tries - 1);
  }
}

/** Every sale of every strategy invalidates the cache of goods. This is not part of the lesson. */
function withoutCache(heard: readonly Sent[]): Sent[] {
  const isCache = (index: number) => /^-- redis> INCR \S+:changes$/.test(heard[index + 1]?.text ?? '');
  const kept: Sent[] = [];
  for (let index = 0; index < heard.length; index += 1) {
    const sent = heard[index];
    if (sent?.text === '-- redis> MULTI' && isCache(index)) index += 3;
    else if (sent) kept.push(sent);
  }
  return kept;
}

async function emptied(lab: Redis): Promise<void> {
  const { reservations, orders } = redisStockKeys(1);
  await eventually(
    'nothing is on its way',
    async () => (await lab.hlen(reservations)) + (await lab.xlen(orders)) === 0,
  );
}

async function serviceAddresses(lab: Redis): Promise<Set<string>> {
  const clients = String(await lab.client('LIST')).split('\n');
  return new Set(
    clients
      .filter((client) => client.includes(` user=${SERVICE_ACCOUNT} `))
      .flatMap((client) => / addr=(\S+)/.exec(client)?.[1] ?? []),
  );
}

const scripts = new Map(
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.lua'))
    .map((file) => [
      createHash('sha1')
        .update(scriptText(join(ROOT, 'src', file)))
        .digest('hex'),
      basename(file),
    ]),
);

/** As `Script` sends it: what `queue-enter.lua` and its like share stands before them, in `queue.lua`. */
function scriptText(path: string): string {
  const shared = path.replace(/-[a-z]+\.lua$/, '.lua');
  const files = shared !== path && existsSync(shared) ? [shared, path] : [path];
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

function readable([command = '', ...args]: string[]): string {
  const words = args.map((arg) => scripts.get(arg) ?? (arg === '' ? "''" : arg));
  return [command.toUpperCase(), ...words].join(' ');
}
