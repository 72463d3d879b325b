import { type Supervised } from '../../processes/supervisor.js';
import { type ServerAddresses } from '../../servers.js';
import { type Shop } from '../../shop.js';

/** The system of a round: a shop, its database, and the servers that faults may hit. */
export interface ChaosSystem {
  readonly shop: Shop;
  readonly servers: ServerAddresses;
  readonly database: string;
  /** Absent when the servers are shared: then a plan must not have faults of them. */
  readonly mariadb?: Supervised;
  readonly redis?: Supervised;
  /** How long to wait, after the clients have ended, until nothing is in flight. */
  readonly drainMs?: number;
}
