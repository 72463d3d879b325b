import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Redis } from 'ioredis';

/** A script in a `.lua` file. Redis keeps it by its hash, so it is sent in full only where Redis does not know it. */
export class LuaScript {
  private readonly text: string;
  private readonly sha: string;

  constructor(file: URL) {
    this.text = readFileSync(file, 'utf8');
    this.sha = createHash('sha1').update(this.text).digest('hex');
  }

  async run(client: Redis, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await client.evalsha(this.sha, keys.length, ...keys, ...args);
    } catch (error) {
      // Redis answers this before it does anything, so sending the script now does not do it twice.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(this.text, keys.length, ...keys, ...args);
    }
  }
}
