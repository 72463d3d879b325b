import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findCommand, findFile, ZOOKEEPER_JAR } from '../../../bin/programs.js';
import { parseZookeeperUrl } from '../../locks/coordination/addresses.js';
import { ZookeeperClient } from '../../locks/zookeeper/zookeeper-client.js';
import { LabError } from '../errors.js';
import { Child } from '../processes/child.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type Engine } from '../processes/supervisor.js';

export interface ZookeeperOptions {
  readonly folder: string;
  readonly logFile: string;
  readonly port: number;
  readonly password: string;
  readonly reaper: ProcessReaper;
}

/** The only account: ZooKeeper stores only the service's locks, and the lab reads them with the same account. */
const ACCOUNT = 'lockstock';

/** Sessions end at a tick, and the shortest one is two ticks long. */
const TICK_MS = 200;
const LONGEST_SESSION_MS = 600_000;
const MAIN_CLASS = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
/** Each try waits for a session. On a busy machine a new server may need longer than one try. */
const SEAL_TRIES = 5;
/** A small heap; a quick start matters more than optimised code. */
const JAVA_OPTIONS = ['-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];

/** A private ZooKeeper that refuses clients without its account. It is started from Debian's library, without a system service. */
export class ZookeeperServer implements Engine {
  readonly name = 'ZooKeeper';
  readonly url: string;

  constructor(private readonly options: ZookeeperOptions) {
    this.url = `zookeeper://${ACCOUNT}:${options.password}@127.0.0.1:${options.port}`;
  }

  static get installed(): boolean {
    return findCommand('java') !== undefined && findFile(ZOOKEEPER_JAR) !== undefined;
  }

  async launch(): Promise<Child> {
    const command = findCommand('java');
    const jar = findFile(ZOOKEEPER_JAR);
    if (!command || !jar) {
      throw new LabError('ZooKeeper is not installed. `npx lockstock doctor` shows how to install it.');
    }
    const { folder, logFile, reaper } = this.options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const configuration = join(folder, 'zoo.cfg');
    writeFileSync(configuration, this.configuration(), { mode: 0o600 });
    const classes = [jar, join(jar, '../slf4j-simple.jar')].join(':');
    const log = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';
    const args = [...JAVA_OPTIONS, log, '-cp', classes, MAIN_CLASS, configuration];
    const child = new Child({ name: this.name, command, args, logFile, reaper });
    await child.ready(async () => (await askZookeeper(this.url, 'srvr')).includes('Mode: standalone'));
    try {
      await this.seal();
    } catch (error) {
      await child.stop();
      throw new LabError(`Authentication of ZooKeeper could not be enabled: ${(error as Error).message}`);
    }
    return child;
  }

  /** Gives the root node to the account: no other client can read or create a node. Retried, because a new server is slow. */
  private async seal(triesLeft = SEAL_TRIES - 1): Promise<void> {
    try {
      await this.trySeal();
    } catch (error) {
      if (triesLeft === 0) throw error;
      await this.seal(triesLeft - 1);
    }
  }

  private async trySeal(): Promise<void> {
    const client = await ZookeeperClient.connect(parseZookeeperUrl(this.url), 10 * TICK_MS);
    try {
      await client.seal('/');
    } finally {
      client.close();
    }
  }

  private configuration(): string {
    const { folder, port } = this.options;
    return [
      `dataDir=${inProperties(folder)}`,
      'clientPortAddress=127.0.0.1',
      `clientPort=${port}`,
      `tickTime=${TICK_MS}`,
      `maxSessionTimeout=${LONGEST_SESSION_MS}`,
      'maxClientCnxns=0',
      'admin.enableServer=false',
      '4lw.commands.whitelist=srvr,wchs',
      // In KiB. By default each log file begins with 64 MiB of zeros.
      'preAllocSize=1024',
      'autopurge.snapRetainCount=3',
      'autopurge.purgeInterval=1',
      '',
    ].join('\n');
  }
}

/** Java reads a properties file as Latin-1; other characters are written as escapes. */
function inProperties(text: string): string {
  return text.replace(
    /[^\u0020-\u007e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Sends one of ZooKeeper's four-letter commands. */
export function askZookeeper(url: string, word: 'srvr' | 'wchs'): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(word));
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('data', (text) => (answer += text.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(answer);
    });
  });
}
