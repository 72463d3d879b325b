import { type Supervised } from '../../processes/supervisor.js';
import { type ServerAddresses } from '../../servers.js';
import { type Shop } from '../../shop.js';

/** What rounds are played on: a shop, its database, and the servers that faults may hit. */
export interface ChaosSystem {
  readonly shop: Shop;
  readonly servers: ServerAddresses;
  readonly database: string;
  /** Absent where the servers are not the round's own: a plan must not have faults of them then. */
  readonly mariadb?: Supervised;
  readonly redis?: Supervised;
  /** How long to wait, after the clients have ended, until nothing is in flight. */
  readonly drainMs?: number;
}
