import { type DataFolder } from '../data-folder.js';
import { type Report } from '../processes/supervisor.js';
import { type Servers } from '../servers.js';
import { type Shop } from '../shop.js';
import { type Route } from './route.js';
import { RunHistory } from './runs/history.js';
import { runRoutes } from './runs/routes.js';
import { Runs } from './runs/runs.js';
import { LabServer } from './server.js';
import { System, systemRoutes } from './system/system.js';

export interface LabApiOptions {
  readonly folder: DataFolder;
  readonly servers: Servers;
  readonly shop: Shop;
  readonly database: string;
  readonly port: number;
  readonly report: Report;
  /** Calls of other parts of the lab. */
  readonly routes?: readonly Route[];
}

/** The API of a lab that is up: what runs, and load runs. */
export class LabApi {
  private constructor(
    private readonly server: LabServer,
    private readonly runs: Runs,
    private readonly system: System,
  ) {}

  static async start(options: LabApiOptions): Promise<LabApi> {
    const { folder, servers, shop, database, port, report, routes = [] } = options;
    const { adminToken } = shop;
    const runs = new Runs({
      history: new RunHistory(folder.in('runs')),
      url: shop.url,
      adminToken,
      instances: shop.instances.length,
      report,
    });
    const system = new System({ shop, engines: servers.all, addresses: servers.addresses, database });
    const server = await LabServer.start({
      port,
      adminToken,
      report,
      routes: [...systemRoutes(system), ...runRoutes(runs), ...routes],
    });
    return new LabApi(server, runs, system);
  }

  get url(): string {
    return this.server.url;
  }

  async stop(): Promise<void> {
    await this.runs.close();
    await this.server.stop();
    await this.system.close();
  }
}
