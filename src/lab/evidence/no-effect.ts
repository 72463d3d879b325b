import { type Step } from '../../contract/evidence.js';

/** A server that has other data than before, or other connections. */
const REPLACED = /takes over|restart|is killed|promote|has lost|evicts|jumps/;
const NOTHING_DONE = /^(nil|0|not the owner any more|had no vote|did not hold it|nothing to return)$/;
const NOT_CONNECTED =
  /^error: (Stream isn't writeable|Connection is closed|connect |read ECONNRESET|write EPIPE|ECONNRE|getaddrinfo)/;

/** Nothing has happened on the server: it said so, or the command never arrived. */
export function isWithoutEffect(answer: string): boolean {
  return NOTHING_DONE.test(answer) || NOT_CONNECTED.test(answer);
}

/**
 * After its Redis was replaced, the release of a lock that was granted before does nothing: the new server does not know the
 * lock, or the instance is not connected to it yet. Which of the two comes first varies from run to run.
 */
export class ReplacedServers {
  private readonly replaced = new Set<string>();
  /** Votes of the new servers. */
  private readonly votes = new Set<string>();

  see({ kind, to = '', text }: Step): void {
    if (kind === 'fault' && to.startsWith('red') && REPLACED.test(text)) this.replaced.add(to);
  }

  answer({ actor, to = '', text }: Step, told: string): string {
    if (!this.replaced.has(to)) return told;
    const vote = `${actor} ${to}`;
    if (told === 'vote granted') this.votes.add(vote);
    if (text.includes(' redlock-unlock.lua '))
      return this.votes.has(vote) ? told : 'ignored: this master has restarted';
    return isWithoutEffect(told) ? 'nothing done' : told;
  }
}
