import { execFileSync } from 'node:child_process';
import { findCommand } from '../../../bin/programs.js';
import { type StrategyListing } from '../../contract/strategy.js';
import { EtcdServer } from './etcd.js';
import { ZookeeperServer } from './zookeeper.js';

/** Why a strategy cannot run on this machine; undefined when it can. */
export function engineMissing(needs: StrategyListing['needs']): string | undefined {
  if (needs.includes('etcd') && !EtcdServer.installed) return 'It needs etcd: apt-get install etcd-server.';
  if (needs.includes('zookeeper') && !ZookeeperServer.installed) {
    return 'It needs ZooKeeper: apt-get install default-jre-headless libzookeeper-java.';
  }
  return undefined;
}

/** For experiments that need MariaDB, because MySQL behaves differently. */
export function mariadbMissing(): string | undefined {
  return findCommand('mariadbd') ? undefined : 'It needs MariaDB: apt-get install mariadb-server-core.';
}

let isolates: boolean | undefined;

/** For experiments that need innodb_snapshot_isolation: MariaDB 10.6.18, 10.11.8, 11.0.6 and later. */
export function snapshotIsolationMissing(): string | undefined {
  const server = findCommand('mariadbd');
  if (!server) return mariadbMissing();
  isolates ??= execFileSync(server, ['--no-defaults', '--verbose', '--help'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).includes('innodb-snapshot-isolation');
  return isolates ? undefined : 'It needs a MariaDB with innodb_snapshot_isolation: 10.11.8 or newer.';
}
