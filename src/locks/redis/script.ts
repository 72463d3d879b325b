import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type RedisClient } from './connect.js';

/**
 * A Lua script from the file beside the lock that uses it. The file's header names its KEYS, ARGV and answer. Several
 * files are read as one: what scripts share stands in a file of its own, before each of them.
 */
export class Script<Answer> {
  private readonly source: string;
  private readonly sha: string;

  constructor(...files: URL[]) {
    this.source = files.map((file) => readFileSync(file, 'utf8')).join('\n');
    this.sha = createHash('sha1').update(this.source).digest('hex');
  }

  run(client: RedisClient, keys: readonly string[], args: readonly (string | number)[]): Promise<Answer> {
    return this.ask(client, keys, args, (answer) => answer);
  }

  /** The same; `read` makes of the answer what the caller wants, without one more promise in between. */
  ask<Read>(
    client: RedisClient,
    keys: readonly string[],
    args: readonly (string | number)[],
    read: (answer: Answer) => Read,
  ): Promise<Read> {
    const answer = client.evalsha(this.sha, keys.length, ...keys, ...args) as Promise<Answer>;
    return answer.then(read, (error: unknown) => {
      // A server that was restarted has forgotten the script.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return (client.eval(this.source, keys.length, ...keys, ...args) as Promise<Answer>).then(read);
    });
  }
}
