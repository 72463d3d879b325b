import { type DataFolder } from '../data-folder.js';
import { EvidenceStore } from '../evidence/evidence-store.js';
import { explorableStrategies } from '../explorer/explorable.js';
import { SHIPPED_EVIDENCE, SHIPPED_EXPLORATIONS } from '../paths.js';
import { type Report, type Supervised } from '../processes/supervisor.js';
import { type ServerAddresses } from '../servers.js';
import { readStrategies } from '../service-answers.js';
import { type Shop } from '../shop.js';
import { Experiments } from './experiments/experiments.js';
import { experimentRoutes } from './experiments/routes.js';
import { explorationRoutes } from './explorations/routes.js';
import { readExplorations } from '../explorer/explorations.js';
import { RunHistory } from './runs/history.js';
import { runRoutes } from './runs/routes.js';
import { Runs } from './runs/runs.js';
import { LabServer } from './server.js';
import { sessionRoutes } from './sessions/routes.js';
import { Sessions } from './sessions/sessions.js';
import { System, systemRoutes } from './system/system.js';

export interface LabApiOptions {
  readonly folder: DataFolder;
  readonly addresses: ServerAddresses;
  /** The servers that this lab supervises. */
  readonly engines: readonly Supervised[];
  readonly shop: Shop;
  readonly database: string;
  readonly port: number;
  readonly report: Report;
}

/** The API of a running lab: its system, load runs, experiments, sessions. */
export class LabApi {
  private constructor(
    private readonly server: LabServer,
    private readonly runs: Runs,
    private readonly system: System,
    private readonly experiments: Experiments,
    private readonly sessions: Sessions,
  ) {}

  static async start(options: LabApiOptions): Promise<LabApi> {
    const { folder, addresses, engines, shop, database, port, report } = options;
    const { adminToken } = shop;
    const runs = new Runs({
      history: new RunHistory(folder.in('runs')),
      url: shop.url,
      adminToken,
      instances: shop.instances.length,
      report,
    });
    const system = new System({ shop, engines, addresses, database });
    const experiments = new Experiments({
      store: new EvidenceStore(folder.in('experiments'), SHIPPED_EVIDENCE),
      strategies: () => readStrategies(shop.url),
      report,
    });
    const sessions = new Sessions(explorableStrategies, report);
    const server = await LabServer.start({
      port,
      adminToken,
      report,
      routes: [
        ...systemRoutes(system),
        ...runRoutes(runs),
        ...experimentRoutes(experiments),
        ...explorationRoutes(() => readExplorations(SHIPPED_EXPLORATIONS)),
        ...sessionRoutes(sessions),
      ],
    });
    return new LabApi(server, runs, system, experiments, sessions);
  }

  get url(): string {
    return this.server.url;
  }

  async stop(): Promise<void> {
    await this.runs.close();
    await this.experiments.close();
    await this.sessions.closeAll();
    await this.server.stop();
    await this.system.close();
  }
}
