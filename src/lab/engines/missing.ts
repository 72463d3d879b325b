import { execFileSync } from 'node:child_process';
import { findCommand } from '../../../bin/programs.js';
import { type StrategyListing } from '../../contract/strategy.js';
import { EtcdServer } from './etcd.js';
import { ZookeeperServer } from './zookeeper.js';

/** Why a strategy cannot be tried on this machine, if it cannot. */
export function engineMissing(needs: StrategyListing['needs']): string | undefined {
  if (needs.includes('etcd') && !EtcdServer.installed) return 'It needs etcd: apt-get install etcd-server.';
  if (needs.includes('zookeeper') && !ZookeeperServer.installed) {
    return 'It needs ZooKeeper: apt-get install default-jre-headless libzookeeper-java.';
  }
  return undefined;
}

/** For what MySQL does in another way, or not at all. */
export function mariadbMissing(): string | undefined {
  return findCommand('mariadbd') ? undefined : 'It needs MariaDB: apt-get install mariadb-server-core.';
}

let isolates: boolean | undefined;

/** For what only a MariaDB can do that knows the age of a snapshot: 10.6.18, 10.11.8, 11.0.6 and their successors. */
export function snapshotIsolationMissing(): string | undefined {
  const server = findCommand('mariadbd');
  if (!server) return mariadbMissing();
  isolates ??= execFileSync(server, ['--no-defaults', '--verbose', '--help'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).includes('innodb-snapshot-isolation');
  return isolates ? undefined : 'It needs a MariaDB with innodb_snapshot_isolation: 10.11.8 or newer.';
}
