import { type Actor } from '../../contract/evidence.js';

/** The prefix of the lifelines of the Redlock masters, which are numbered from 1. */
const MASTER = 'redlock-';

const SERVERS: Readonly<Record<string, Actor>> = {
  mysql: { id: 'mysql', kind: 'mysql', label: 'MySQL' },
  redis: { id: 'redis', kind: 'redis', label: 'Redis' },
  etcd: { id: 'etcd', kind: 'etcd', label: 'etcd' },
  replica: { id: 'replica', kind: 'mysql', label: 'its replica' },
  zookeeper: { id: 'zookeeper', kind: 'zookeeper', label: 'ZooKeeper' },
};

/** The lifeline of each server. Every Redlock master has its own. */
export class Lanes {
  constructor(
    private readonly redlockPorts: readonly number[],
    private readonly replicaPort: number,
  ) {}

  of(server: string, port?: number): Actor {
    if (server === 'mysql' && port === this.replicaPort) return SERVERS['replica'] as Actor;
    const number = port === undefined ? 0 : this.redlockPorts.indexOf(port) + 1;
    if (server === 'redis' && number > 0) return masterLane(number);
    return SERVERS[server] ?? { id: server, kind: 'other', label: server };
  }
}

export function masterLane(number: number): Actor {
  return { id: `${MASTER}${number}`, kind: 'redis', label: `master ${number}` };
}
