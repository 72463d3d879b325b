import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { findCommand } from '../../../bin/programs.js';
import { LabError } from '../errors.js';
import { gatewayTemplate, ROOT } from '../paths.js';
import { Child } from '../processes/child.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type Engine } from '../processes/supervisor.js';

export interface NginxOptions {
  readonly folder: string;
  readonly logFile: string;
  readonly port: number;
  readonly upstreams: readonly number[];
  readonly adminToken: string;
  readonly reaper: ProcessReaper;
  readonly rateLimit?: RateLimit | undefined;
  /** The port of the lab's own API; without it there is no /lab. */
  readonly labPort?: number | undefined;
  /** Further groups of instances, by name. A request with `x-first-instances: <name>` and the admin token goes there. */
  readonly groups?: Readonly<Record<string, readonly number[]>> | undefined;
  /** The project whose configuration is used, if it is not this one. */
  readonly root?: string | undefined;
}

/** What one client may send without the admin token. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
  /** Requests at the same time. */
  readonly connections: number;
}

/** A request with this header and the admin token is served by the first instances only; the value is their number. */
export const FIRST_INSTANCES = 'x-first-instances';

const RATE_LIMIT: RateLimit = { perSecond: 1000, burst: 2000, connections: 1000 };

/** The gateway: distributes requests over the instances in turn. */
export class Nginx implements Engine {
  readonly name = 'nginx';
  readonly url: string;
  private readonly program: string;

  constructor(private readonly options: NginxOptions) {
    const program = findCommand('nginx');
    if (!program)
      throw new LabError('nginx is not installed. `npx lockstock doctor` shows how to install it.');
    this.program = program;
    this.url = `http://127.0.0.1:${options.port}`;
  }

  async launch(): Promise<Child> {
    const { folder, logFile, reaper } = this.options;
    mkdirSync(folder, { recursive: true });
    const files = { 'nginx.conf': this.configuration(), ...this.additions() };
    // They contain the admin token.
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    const child = new Child({
      name: this.name,
      command: this.program,
      args: ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr', ...asThisUser()],
      logFile,
      reaper,
      stopSignal: 'SIGQUIT',
    });
    await child.ready(async () => (await fetch(`${this.url}/health/live`)).status < 600);
    return child;
  }

  /** The deployed configuration, filled in for this machine. */
  private configuration(): string {
    const { port, adminToken, upstreams, rateLimit = RATE_LIMIT, root = ROOT } = this.options;
    return filled(readFileSync(gatewayTemplate(root), 'utf8'), {
      LISTEN: `127.0.0.1:${port}`,
      ADMIN_TOKEN: adminToken,
      REQUESTS_PER_SECOND: String(rateLimit.perSecond),
      BURST: String(rateLimit.burst),
      CONNECTIONS: String(rateLimit.connections),
      INSTANCES: serverLines(upstreams),
      // Only names of containers are resolved; instances of the lab have addresses.
      NGINX_LOCAL_RESOLVERS: '127.0.0.1',
    });
  }

  /** The files that only the lab adds to the configuration. */
  private additions(): Record<string, string> {
    const { upstreams, adminToken, labPort, groups = {} } = this.options;
    // Upstream groups of the first instance, the first two, and so on, to measure their effect on one system.
    const firstOnes = upstreams.map((_, index) => [`${index + 1}`, upstreams.slice(0, index + 1)] as const);
    const all = [...firstOnes, ...Object.entries(groups)];
    const upstreamBlocks = all.map(([name, ports]) => {
      return `upstream first_${name} {
  zone first_${name} 64k;
  ${serverLines(ports)}
  keepalive 128;
  keepalive_timeout 500ms;
}`;
    });
    const chosen = all.map(
      ([name]) => String.raw`"~^(?i:bearer) \Q${adminToken}\E first ${name}$" first_${name};`,
    );
    return {
      'lab-upstreams.conf': upstreamBlocks.join('\n'),
      'lab-chosen.conf': chosen.join('\n'),
      'lab-locations.conf': labPort === undefined ? '' : labLocation(labPort),
    };
  }
}

/** Started by root, nginx would change to an account that cannot read the lab's folder. */
function asThisUser(): string[] {
  return process.getuid?.() === 0 ? ['-g', `user ${userInfo().username};`] : [];
}

/** Replaces `${NAME}`, as envsubst does in the nginx image. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\$\{([A-Z_]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new LabError(`deploy/nginx.conf.template contains the unknown variable ${name}.`);
    return value;
  });
}

function serverLines(ports: readonly number[]): string {
  return ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join(' ');
}

/** The streams of the lab's API stay open. Its headers are those of the server block. */
function labLocation(port: number): string {
  return `location /lab/ {
  proxy_pass http://127.0.0.1:${port};
  proxy_buffering off;
  proxy_read_timeout 1h;
}`;
}
