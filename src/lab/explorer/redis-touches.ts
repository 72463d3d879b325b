import { type Touches } from './model.js';

/** Commands that change nothing. All others count as writes. */
const READS =
  /^(GET|MGET|HGET|HMGET|HGETALL|HLEN|EXISTS|TTL|PTTL|TYPE|STRLEN|LLEN|SCARD|SMEMBERS|ZSCORE|ZRANGE|XRANGE|XLEN|WATCH)\b/;
/** Scripts that change nothing. */
const READING_SCRIPTS = /^EVAL(SHA)? (sold-out|read-stock)\.lua\b/;
const LOCAL = /^(PING|TIME|ECHO)\b/;
const ENDS_WATCH = /^(UNWATCH|MULTI; .*EXEC)$/;

/** What the Redis commands of one request touch. A command touches its keys; an EXEC also depends on the watched keys. */
export class RedisTouches {
  private readonly watched = new Map<string, readonly string[]>();

  /** `server` and `connection` are names: the same key on two servers is two keys. */
  of(server: string, connection: string, text: string, keys: readonly string[]): Touches {
    if (LOCAL.test(text)) return { reads: [], writes: [] };
    const own = keys.map((key) => `${server} ${key}`);
    const watched = this.watched.get(connection) ?? [];
    if (text.startsWith('WATCH ')) {
      this.watched.set(connection, [...watched, ...own]);
      // Requests that share the connection share its WATCH.
      return { reads: own, writes: [connection] };
    }
    if (ENDS_WATCH.test(text)) {
      this.watched.delete(connection);
      return { reads: watched, writes: [...own, connection] };
    }
    if (own.length === 0) return { reads: [], writes: [server] };
    return READS.test(text) || READING_SCRIPTS.test(text)
      ? { reads: own, writes: [] }
      : { reads: [], writes: own };
  }
}
