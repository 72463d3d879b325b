import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ChainableCommander } from 'ioredis';
import { type RedisClient } from './connect.js';

/**
 * A Lua script from a file beside the lock that uses it. The file's header names its KEYS, ARGV and answer. Several files
 * are joined: the first ones contain functions that several scripts share.
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

  /** The same; `read` converts the answer without one more promise in between. */
  ask<Read>(
    client: RedisClient,
    keys: readonly string[],
    args: readonly (string | number)[],
    read: (answer: Answer) => Read,
  ): Promise<Read> {
    const answer = client.evalsha(this.sha, keys.length, ...keys, ...args) as Promise<Answer>;
    return answer.then(read, (error: unknown) => {
      if (!isUnknownScript(error)) throw error;
      return (client.eval(this.source, keys.length, ...keys, ...args) as Promise<Answer>).then(read);
    });
  }

  /**
   * Runs the script and then, in the same pipeline, the commands that `then` adds: on the same connection to the same node.
   * Resolves with the answers of the script and of the last command.
   */
  async runBefore(
    client: RedisClient,
    keys: readonly string[],
    args: readonly (string | number)[],
    then: (pipeline: ChainableCommander) => ChainableCommander,
  ): Promise<[Answer, unknown]> {
    const bySha = client.pipeline().evalsha(this.sha, keys.length, ...keys, ...args);
    let results = await then(bySha).exec();
    if (isUnknownScript(results?.[0]?.[0])) {
      results = await then(client.pipeline().eval(this.source, keys.length, ...keys, ...args)).exec();
    }
    const failed = results?.find(([error]) => error)?.[0];
    if (!results || failed) throw failed ?? new Error('Redis did not run the pipeline.');
    return [results[0]?.[1] as Answer, results.at(-1)?.[1]];
  }
}

/** After a restart the server does not have the script. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
