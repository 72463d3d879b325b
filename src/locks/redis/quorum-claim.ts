import { randomUUID } from 'node:crypto';
import { type RedisClient } from './connect.js';
import { type CountUntil, type Quorum, type Tally } from './quorum.js';
import { Script } from './script.js';

const RENEW = new Script<0 | 1>(new URL('quorum-renew.lua', import.meta.url));
const RELEASE = new Script<0 | 1>(new URL('quorum-release.lua', import.meta.url));

/**
 * One attempt, and the keys that it has or may have on the nodes. Every attempt has its own owner name, so that a command
 * that arrives late cannot count for the next attempt.
 */
export class Claim {
  private readonly owner = randomUUID();
  private givenUp = false;

  constructor(
    private readonly quorum: Quorum,
    private readonly redisKey: string,
    readonly leaseMs: number,
  ) {}

  make(): Promise<Tally> {
    return this.quorum.ask((node) => this.takeOn(node), 'until-decided');
  }

  renew(): Promise<Tally> {
    return this.quorum.ask((node) => this.run(RENEW, node, this.leaseMs), 'until-decided');
  }

  /** Releases on all nodes, also on those that refused or did not answer: the answer to a grant may have been lost. */
  giveUp(until: CountUntil): Promise<Tally> {
    this.givenUp = true;
    return this.quorum.ask((node) => this.run(RELEASE, node), until);
  }

  private async takeOn(node: RedisClient): Promise<boolean> {
    // A plain command, not a script: a node that does not have the script needs it sent again, and a release that was
    // sent meanwhile would arrive first.
    const granted = (await node.set(this.redisKey, this.owner, 'PX', this.leaseMs, 'NX')) === 'OK';
    // After a reconnect the command may arrive late, even twice, and the second is refused because of the first. So when
    // the claim was given up before the answer came, it is released once more, whatever the answer says.
    if (this.givenUp) await this.run(RELEASE, node);
    return granted;
  }

  private async run(script: Script<0 | 1>, node: RedisClient, ...args: number[]): Promise<boolean> {
    return (await script.run(node, [this.redisKey], [this.owner, ...args])) === 1;
  }
}
