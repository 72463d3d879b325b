import { SETTING_NAMES } from '../../config/settings.js';
import { LabApi } from '../api/lab-api.js';
import { readArguments, wholeNumber } from '../arguments.js';
import { DataFolder } from '../data-folder.js';
import { interruption, whenAborted } from '../interruption.js';
import { DEFAULT_DATA } from '../paths.js';
import { choosePort, freePort } from '../ports.js';
import { ProcessReaper } from '../processes/process-reaper.js';
import { Servers } from '../servers.js';
import { Shop } from '../shop.js';
import { terminal } from '../terminal.js';

const DATABASE = 'lockstock';
const DEFAULT_PORT = 8080;
export const MAX_INSTANCES = 16;
/** The lab uses the token. The others are in the environment of many programs. */
const NOT_IGNORED = ['ADMIN_TOKEN', 'HOST', 'NODE_ENV', 'INSTANCE', 'LOG_LEVEL'];

export interface UpOptions {
  readonly instances: number;
  readonly port: number;
  readonly portIsDefault: boolean;
  readonly data: string;
  readonly fresh: boolean;
  /** The debugger's port of each instance. */
  readonly inspectPorts?: readonly number[];
}

interface Part {
  stop(): Promise<void>;
}

/** `lockstock up`: runs all servers and instances until Ctrl-C. */
export function up(args: string[]): Promise<number> {
  return runUntilStopped(readUpOptions('up', args));
}

/** Runs all servers and instances, and what `addition` starts when they are up, until Ctrl-C. */
export async function runUntilStopped(
  options: UpOptions,
  addition?: (shop: Shop, reaper: ProcessReaper) => Part,
): Promise<number> {
  const stop = whenAborted(interruption());
  warnOfIgnoredSettings(process.env);
  const folder = new DataFolder(options.data);
  await folder.occupy(options);
  const reaper = new ProcessReaper();
  const running: Part[] = [];
  try {
    const shop = await Promise.race([start(options, folder, reaper, running), stop]);
    if (shop && addition) running.push(addition(shop, reaper));
    await stop;
    terminal.say('stopping …');
  } finally {
    for (const part of running.reverse()) await part.stop();
    folder.leave();
    await reaper.close();
  }
  terminal.say('stopped; nothing is left running.');
  return 0;
}

/** Instances of the lab get the settings that the lab chooses. */
function warnOfIgnoredSettings(environment: NodeJS.ProcessEnv): void {
  const ignored = SETTING_NAMES.filter((name) => environment[name] && !NOT_IGNORED.includes(name));
  if (ignored.length === 0) return;
  const port = ignored.includes('PORT') ? ' Choose the port with --port.' : '';
  terminal.warn(
    `The environment sets ${ignored.join(', ')}, which the lab does not use: it starts servers and instances with settings of its own.` +
      `${port} To run an instance with your own settings, see docs/deployment.md.`,
  );
}

async function start(
  options: UpOptions,
  folder: DataFolder,
  reaper: ProcessReaper,
  running: Part[],
): Promise<Shop> {
  const report = (message: string) => {
    terminal.warn(message);
  };
  const port = await choosePort(options.port, options.portIsDefault);
  if (port !== options.port) terminal.warn(`Port ${options.port} is in use; using ${port} instead.`);
  folder.sign(reaper, `http://localhost:${port}`);
  const servers = await terminal.step('starting MariaDB, Redis, and five Redis masters for Redlock', () =>
    Servers.start(folder, reaper, report),
  );
  running.push(servers);
  for (const missing of [!servers.etcd && 'etcd', !servers.zookeeper && 'ZooKeeper'].filter(Boolean)) {
    terminal.say(
      `${missing} is not installed, so its strategy is not available. \`npx lockstock doctor\` shows how to install it.`,
    );
  }
  folder.sign(reaper, `http://localhost:${port}`);
  const labPort = await freePort();
  const shop = await Shop.plan({
    folder,
    reaper,
    servers: servers.addresses,
    database: DATABASE,
    instances: options.instances,
    port,
    labPort,
    inspectPorts: options.inspectPorts,
    report,
  });
  running.push(shop);
  await terminal.step(`starting ${options.instances} instances and nginx`, () => shop.start());
  const { addresses, all: engines } = servers;
  running.push(
    await LabApi.start({ folder, addresses, engines, shop, database: DATABASE, port: labPort, report }),
  );
  folder.sign(reaper, `http://localhost:${port}`);
  terminal.print(readyMessage(port, options, folder, shop.adminToken));
  return shop;
}

function readyMessage(
  port: number,
  { instances, inspectPorts }: UpOptions,
  folder: DataFolder,
  token: string,
): string {
  const { bold, dim } = terminal;
  const url = `http://localhost:${port}`;
  const debuggers = inspectPorts
    ? `\n  debuggers    ${inspectPorts.map((at) => `127.0.0.1:${at}`).join(', ')}`
    : '';
  return `
${bold(`Lockstock is ready: ${url}`)}

  page         ${url}/#token=${token}
  instances    ${instances} behind nginx${debuggers}
  admin token  ${token}
  logs         ${folder.shown}/logs

Three things to try next:

  ${dim('sell one with a row lock')}
  curl -X POST ${url}/goods/1/deduct/for-update -H 'content-type: application/json' -d '{"quantity":1}'

  ${dim('sell a hundred at once without a lock, then read the verdict')}
  seq 100 | xargs -P 50 -I% curl -s -o /dev/null -X POST ${url}/goods/2/deduct/no-lock -H 'content-type: application/json' -d '{"quantity":1}'; curl ${url}/goods/2/audit

  ${dim('start a new run with a stock of 10')}
  curl -X POST ${url}/goods/1/reset -H 'authorization: Bearer ${token}' -H 'content-type: application/json' -d '{"inventory":10}'

${dim('Ctrl-C stops everything.')}
`;
}

export function readUpOptions(command: string, args: string[]): UpOptions {
  const { values } = readArguments(command, args, {
    instances: { type: 'string' },
    port: { type: 'string' },
    data: { type: 'string' },
    fresh: { type: 'boolean' },
  });
  return {
    instances: wholeNumber('instances', values.instances ?? '3', 1, MAX_INSTANCES),
    port: wholeNumber('port', values.port ?? String(DEFAULT_PORT), 1, 65_535),
    portIsDefault: values.port === undefined,
    data: values.data ?? DEFAULT_DATA,
    fresh: values.fresh ?? false,
  };
}
