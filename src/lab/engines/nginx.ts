import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { findCommand } from '../../../bin/programs.js';
import { LabError } from '../errors.js';
import { Child } from '../processes/child.js';
import { type Guard } from '../processes/guard.js';
import { type Engine } from '../processes/supervisor.js';

export interface NginxOptions {
  readonly folder: string;
  readonly logFile: string;
  readonly port: number;
  readonly upstreams: readonly number[];
  readonly adminToken: string;
  readonly guard: Guard;
  readonly rateLimit?: RateLimit | undefined;
  /** Where the lab's own API listens; without it there is no /lab. */
  readonly labPort?: number | undefined;
}

/** What one client may send without the admin token. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** With the admin token, a request that carries this header goes to the first so many instances only. */
export const FIRST_INSTANCES = 'x-first-instances';

const RATE_LIMIT: RateLimit = { perSecond: 1000, burst: 2000 };

/** The gateway: takes requests in turn to the instances. */
export class Nginx implements Engine {
  readonly name = 'nginx';
  readonly url: string;
  private readonly program: string;

  constructor(private readonly options: NginxOptions) {
    const program = findCommand('nginx');
    if (!program) throw new LabError('nginx is not installed. `npx lockstock doctor` says how to get it.');
    this.program = program;
    this.url = `http://127.0.0.1:${options.port}`;
  }

  async launch(): Promise<Child> {
    const { folder, logFile, guard } = this.options;
    mkdirSync(folder, { recursive: true });
    const configuration = join(folder, 'nginx.conf');
    // It holds the admin token.
    writeFileSync(configuration, this.configuration(), { mode: 0o600 });
    const child = new Child({
      name: this.name,
      command: this.program,
      args: ['-p', folder, '-c', configuration, '-e', 'stderr'],
      logFile,
      guard,
      stopSignal: 'SIGQUIT',
    });
    await child.ready(async () => (await fetch(`${this.url}/health/live`)).status < 600);
    return child;
  }

  private configuration(): string {
    const { port, adminToken, rateLimit = RATE_LIMIT } = this.options;
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    // Locations with a path: a request whose own path cannot be read cannot be sent to a named one.
    const problem = (status: number, type: string, title: string) =>
      // 494 is nginx's own number for headers that are too large.
      `error_page ${status === 400 ? '400 494' : status} /.problem/${status};
    location = /.problem/${status} { internal; default_type application/problem+json; ` +
      `return ${status} '${JSON.stringify({ type, title, status })}'; }`;
    return `
daemon off;
${process.getuid?.() === 0 ? `user ${userInfo().username};` : ''}
worker_processes 2;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  server_tokens off;
  ${temporary.map((name) => `${name}_temp_path ${name}_temp;`).join('\n  ')}

  map_hash_bucket_size 512;
  # One client may send this much. Requests with the admin token, such as load runs, have an empty key: no limit.
  map $http_authorization $limited_client {
    default $binary_remote_addr;
    "Bearer ${adminToken}" "";
  }
  limit_req_zone $limited_client zone=clients:1m rate=${rateLimit.perSecond}r/s;
  limit_req_status 429;

  ${this.upstreams()}

  server {
    listen 127.0.0.1:${port};
    # As much as an instance takes: one that hangs up in the middle of a larger body would look like a dead one.
    client_max_body_size 16k;
    keepalive_requests 100000;
    limit_req zone=clients burst=${rateLimit.burst} nodelay;

    # A POST is never sent twice: proxy_next_upstream must not get non_idempotent. See docs/adr/0004.
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    proxy_set_header X-Request-Id $request_id;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_connect_timeout 2s;
    proxy_read_timeout 30s;
    proxy_next_upstream error timeout;

    ${problem(400, 'invalid-request', 'The request cannot be read')}
    ${problem(414, 'invalid-request', 'The URL is too long')}
    ${problem(413, 'invalid-request', 'The request is too large')}
    ${problem(405, 'invalid-request', 'The method is not allowed')}
    ${problem(501, 'invalid-request', 'The request uses what this server does not know')}
    ${problem(505, 'invalid-request', 'The HTTP version is not supported')}
    ${problem(429, 'too-many-requests', 'Too many requests; the admin token lifts the limit')}
    ${problem(502, 'outcome-unknown', 'The instance went away before it answered')}
    ${problem(504, 'outcome-unknown', 'The instance did not answer in time')}

    location / { proxy_pass http://$chosen_instances; }
    ${this.lab()}
  }
}
`;
  }

  /** All instances, and the first one, the first two, …: how many there are can so be measured on one system. */
  private upstreams(): string {
    const { upstreams, adminToken } = this.options;
    const group = (name: string, ports: readonly number[]) => `upstream ${name} {
    zone ${name} 64k;
    ${ports.map((port) => `server 127.0.0.1:${port} max_fails=1 fail_timeout=1s;`).join('\n    ')}
    keepalive 128;
  }`;
    const header = `$http_${FIRST_INSTANCES.replaceAll('-', '_')}`;
    return [
      group('instances', upstreams),
      ...upstreams.map((_, index) => group(`first_${index + 1}`, upstreams.slice(0, index + 1))),
      `map "$http_authorization first ${header}" $chosen_instances {`,
      '  default instances;',
      ...upstreams.map((_, index) => `  "Bearer ${adminToken} first ${index + 1}" first_${index + 1};`),
      '}',
    ].join('\n  ');
  }

  private lab(): string {
    const { labPort } = this.options;
    if (labPort === undefined) return '';
    // The lab compares Origin with the host and port that the browser used. Its streams stay open.
    return `location /lab/ {
      proxy_pass http://127.0.0.1:${labPort};
      proxy_set_header Host $http_host;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 1h;
    }`;
  }
}
