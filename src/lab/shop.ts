import { type DataFolder } from './data-folder.js';
import { InstanceEngine } from './engines/instance.js';
import { Nginx, type RateLimit } from './engines/nginx.js';
import { migrateDatabase } from './migration.js';
import { freePorts } from './ports.js';
import { type ProcessReaper } from './processes/process-reaper.js';
import { type Report, Supervised } from './processes/supervisor.js';
import { type ServerAddresses, serviceEnvironment } from './servers.js';

export interface ShopOptions {
  readonly folder: DataFolder;
  readonly reaper: ProcessReaper;
  readonly servers: ServerAddresses;
  readonly database: string;
  readonly instances: number;
  readonly port: number;
  readonly report: Report;
  readonly rateLimit?: RateLimit | undefined;
  /** Further settings of the instances, such as LOG_LEVEL. */
  readonly env?: Readonly<Record<string, string>>;
  /** The port of the lab's own API, which the gateway forwards /lab to. */
  readonly labPort?: number | undefined;
  /** Further groups of instances behind the same gateway: their ports by the group's name. */
  readonly groups?: Readonly<Record<string, readonly number[]>> | undefined;
  /** The projects whose builds the instances run, in turn; the first one also provides the gateway's configuration. Default: this project. */
  readonly roots?: readonly string[] | undefined;
  /** The debugger's port of each instance. */
  readonly inspectPorts?: readonly number[] | undefined;
}

/** Several instances of the service behind nginx. */
export class Shop {
  private stopped = false;

  private constructor(
    readonly url: string,
    readonly adminToken: string,
    readonly instances: readonly Supervised[],
    readonly instanceUrls: readonly string[],
    readonly nginx: Supervised,
    /** Brings the schema up to date. */
    readonly migrate: () => Promise<void>,
  ) {}

  /** Chooses ports and folders. Nothing runs before `start`. The reaper ends processes that are still starting at `stop`. */
  static async plan({
    folder,
    reaper,
    servers,
    database,
    report,
    env = {},
    ...options
  }: ShopOptions): Promise<Shop> {
    const ports = await freePorts(options.instances);
    const engines = ports.map((port, index) => {
      const name = `instance-${index + 1}`;
      return new InstanceEngine({
        name,
        port,
        env: { ...serviceEnvironment(servers, database), ...env },
        logFile: folder.in(`logs/${name}.log`),
        reaper,
        root: options.roots?.[index % options.roots.length],
        inspectPort: options.inspectPorts?.[index],
      });
    });
    const nginx = new Nginx({
      folder: folder.in('nginx'),
      logFile: folder.in('logs/nginx.log'),
      port: options.port,
      upstreams: ports,
      adminToken: servers.secrets.adminToken,
      rateLimit: options.rateLimit,
      labPort: options.labPort,
      groups: options.groups,
      root: options.roots?.[0],
      reaper,
    });
    return new Shop(
      nginx.url,
      servers.secrets.adminToken,
      engines.map((engine) => new Supervised(engine, report)),
      engines.map((engine) => engine.url),
      new Supervised(nginx, report),
      () => migrateDatabase({ folder, reaper, servers, database }),
    );
  }

  async start(): Promise<void> {
    await this.migrate();
    if (this.stopped) return;
    await Promise.all(this.instances.map((instance) => instance.start()));
    await this.nginx.start();
  }

  /** One after the other, so that the others answer meanwhile. Ends at the first instance that does not start. */
  async restartInstances(): Promise<void> {
    for (const instance of this.instances) if (!this.stopped) await instance.restart();
  }

  /** The gateway stops first: it waits for answers in flight, and then closes its connections to the instances. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.nginx.stop();
    await Promise.all(this.instances.map((instance) => instance.stop()));
  }
}
