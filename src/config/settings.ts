import { hostname } from 'node:os';
import { z } from 'zod';
import { etcdUrl, zookeeperUrl } from './coordination-urls.js';
import { readTls, TlsError } from './database-tls.js';
import { redisUrl, redlockUrls } from './redis-urls.js';
import { renamedSettings, unknownSettings } from './setting-names.js';

const url = (...schemes: string[]) =>
  z.string().refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1)), {
    message: `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  });
const databaseUrl = url('mysql', 'mariadb')
  .refine((text) => URL.canParse(text) && /^\/[A-Za-z0-9_]+$/.test(new URL(text).pathname), {
    message: 'must end in the name of a database, such as mysql://user:password@host:3306/lockstock',
  })
  .superRefine((text, context) => {
    if (!URL.canParse(text)) return;
    try {
      readTls(text);
    } catch (error) {
      if (!(error instanceof TlsError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  });
const list = (entry: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .pipe(z.array(entry).min(1, 'must not be an empty list'));
const HOST_NAME = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;
const whole = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.int().min(min).max(max));

/** The environment of one instance. This is the only place that reads it. */
const Environment = z
  .object({
    NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
    HOST: z.string().default('127.0.0.1'),
    PORT: whole(0, 65535).default(3000),
    INSTANCE: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots or dashes')
      .optional(),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    /** The service's own account: it may not change or delete orders. */
    DATABASE_URL: databaseUrl,
    /** The owner's account; when given, the instance brings the schema up to date before it serves. */
    MIGRATIONS_URL: databaseUrl.optional(),
    /** A replica of the database. Only specimens read from it: see `src/specimens`. */
    REPLICA_URL: databaseUrl.optional(),
    /** Connections for requests; a few more are reserved for health checks, audits and other work: see `database.ts`. */
    DATABASE_POOL: whole(1, 500).default(20),
    /** The percentage that one goods may use of the connections and requests in flight that other goods leave free. */
    GOODS_SHARE: whole(1, 100).default(75),
    /** Optional: without Redis the strategies that need it are listed as not available. */
    REDIS_URL: redisUrl.optional(),
    /** The masters of a Redlock, separated by commas. Optional in the same way. */
    REDLOCK_URLS: redlockUrls.optional(),
    /** Optional in the same way. */
    ETCD_URL: etcdUrl.optional(),
    ZOOKEEPER_URL: zookeeperUrl.optional(),
    /** The characters of RFC 6750: others cannot be sent, or have a meaning in the gateway's configuration. */
    ADMIN_TOKEN: z
      .string()
      .regex(/^[A-Za-z0-9._~+/=-]{16,200}$/, 'must have 16 to 200 letters, digits or . _ ~ + / = -')
      .optional(),
    /** Names under which clients may call the shop, besides loopback names and HOST. */
    ALLOWED_HOSTS: list(
      z
        .string()
        .regex(HOST_NAME, 'must be names such as shop.example or shop.example:8080, separated by commas'),
    ).default([]),
    /** Proxies whose X-Forwarded-For is trusted: addresses, networks, or proxy-addr's names for networks. */
    TRUSTED_PROXIES: list(
      z
        .string()
        .regex(
          /^(loopback|linklocal|uniquelocal|[0-9a-f.:]+(\/\d{1,3})?)$/i,
          'must be addresses or networks such as 10.0.0.7 or 10.0.0.0/24, separated by commas',
        ),
    ).default(['loopback']),
    /** Names of the strategies that are enabled, or "all". */
    STRATEGIES: list(
      z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be names of strategies, separated by commas, or all'),
    ).optional(),
    /** How long a request waits for a lock or a connection before it gets 503. */
    LOCK_WAIT_MS: whole(1, 60_000).default(2000),
    /** After this time a lock with a lease expires. */
    LOCK_LEASE_MS: whole(50, 600_000).default(10_000),
    /** Replicas that must have the lock of `fencing-token` before it counts as acquired: a number, or "majority". */
    LOCK_REPLICAS: z.union([z.literal('majority'), whole(0, 100)]).default(0),
    /** Rows and locks over which `segmented` splits the stock of a run. */
    STOCK_SEGMENTS: whole(1, 64).default(5),
    /**
     * How long an order may be in flight between Redis and MySQL before the Redis stock is rebuilt. It must be longer than a
     * sale takes: a slower sale is refused, and its client may retry.
     */
    REDIS_ORDER_TIMEOUT_MS: whole(500, 600_000).default(5000),
    /** Requests that one instance works on at once; more get 503 immediately, before a queue grows. */
    MAX_IN_FLIGHT: whole(1, 100_000).default(500),
    /** How late the event loop of an instance may be before it refuses requests: they would time out in its queue. */
    MAX_EVENT_LOOP_DELAY_MS: whole(50, 60_000).default(1000),
    BODY_LIMIT: whole(256, 1_048_576).default(16_384),
    /** Address of the checkpoint server of an experiment, which may pause or kill this instance at named places. */
    CHECKPOINTS: z
      .string()
      .regex(/^127\.0\.0\.1:\d{1,5}$/, 'must be an address of this machine, such as 127.0.0.1:4000')
      .optional(),
    /** The compiled file of a strategy outside of this project, which `lockstock try` tests. */
    OWN_STRATEGY: z
      .string()
      .regex(/^\/.+\.js$/, 'must be the absolute path of a compiled file')
      .optional(),
  })
  .refine((env) => env.NODE_ENV !== 'production' || env.OWN_STRATEGY === undefined, {
    path: ['OWN_STRATEGY'],
    message: 'must not be set under NODE_ENV=production: it is for `lockstock try`',
  })
  .refine((env) => env.NODE_ENV !== 'production' || env.CHECKPOINTS === undefined, {
    path: ['CHECKPOINTS'],
    message: 'must not be set under NODE_ENV=production: it is for experiments',
  });

export interface Settings {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  readonly instance: string;
  readonly logLevel: string;
  readonly databaseUrl: string;
  readonly migrationsUrl: string | undefined;
  readonly replicaUrl: string | undefined;
  readonly databasePool: number;
  readonly goodsShare: number;
  readonly redisUrl: string | undefined;
  /** Empty where Redlock is not configured. */
  readonly redlockUrls: readonly string[];
  readonly etcdUrl: string | undefined;
  readonly zookeeperUrl: string | undefined;
  readonly adminToken: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Undefined: the default of the environment; see `src/strategies/support/switched-on.ts`. */
  readonly strategies: readonly string[] | undefined;
  readonly lockWaitMs: number;
  readonly lockLeaseMs: number;
  readonly lockReplicas: number | 'majority';
  readonly stockSegments: number;
  readonly redisOrderTimeoutMs: number;
  readonly maxInFlight: number;
  readonly maxEventLoopDelayMs: number;
  readonly bodyLimit: number;
  /** Undefined unless an experiment has started this instance. */
  readonly checkpoints: string | undefined;
  /** Undefined unless `lockstock try` has started this instance. */
  readonly ownStrategy: string | undefined;
}

/** Nest finds the settings under this name. */
export const SETTINGS = Symbol('Settings');

export class SettingsError extends Error {}

/** Reads and checks the environment. One error names everything that is wrong with it. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  // An empty variable is how compose files and shells write "not set".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const renamed = renamedSettings(Object.keys(given));
  const parsed = Environment.safeParse(given);
  if (!parsed.success || renamed.length > 0) {
    const lines = (parsed.error?.issues ?? []).map((issue) => {
      // For an entry of a list, the name of the list.
      const name = String(issue.path[0]);
      const missing = given[name] === undefined;
      return `${name} ${missing ? 'is not set' : issue.message}`;
    });
    const all = [...new Set([...renamed, ...lines])].map((line) => `  ${line}`).join('\n');
    throw new SettingsError(`Invalid environment:\n${all}\nSee .env.example.`);
  }
  const env = parsed.data;
  return {
    production: env.NODE_ENV === 'production',
    host: env.HOST,
    port: env.PORT,
    instance:
      env.INSTANCE ??
      `${hostname()
        .replace(/[^A-Za-z0-9_.-]/g, '-')
        .slice(0, 50)}-${process.pid}`,
    logLevel: env.LOG_LEVEL,
    databaseUrl: env.DATABASE_URL,
    migrationsUrl: env.MIGRATIONS_URL,
    replicaUrl: env.REPLICA_URL,
    databasePool: env.DATABASE_POOL,
    goodsShare: env.GOODS_SHARE,
    redisUrl: env.REDIS_URL,
    redlockUrls: env.REDLOCK_URLS ?? [],
    etcdUrl: env.ETCD_URL,
    zookeeperUrl: env.ZOOKEEPER_URL,
    adminToken: env.ADMIN_TOKEN,
    allowedHosts: [...env.ALLOWED_HOSTS, ...(isAnyAddress(env.HOST) ? [] : [hostOf(env.HOST)])],
    trustedProxies: env.TRUSTED_PROXIES,
    strategies: env.STRATEGIES,
    lockWaitMs: env.LOCK_WAIT_MS,
    lockLeaseMs: env.LOCK_LEASE_MS,
    lockReplicas: env.LOCK_REPLICAS,
    stockSegments: env.STOCK_SEGMENTS,
    redisOrderTimeoutMs: env.REDIS_ORDER_TIMEOUT_MS,
    maxInFlight: env.MAX_IN_FLIGHT,
    maxEventLoopDelayMs: env.MAX_EVENT_LOOP_DELAY_MS,
    bodyLimit: env.BODY_LIMIT,
    checkpoints: env.CHECKPOINTS,
    ownStrategy: env.OWN_STRATEGY,
  };
}

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(Environment.shape);

/** The variables that look like a mistyped setting, for a warning at the start. */
export function mistypedSettings(environment: NodeJS.ProcessEnv): string[] {
  return unknownSettings(Object.keys(environment), SETTING_NAMES);
}

/** Clients do not use this address as a host name: it means that the server listens on every address. */
function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** As in a Host header: an IPv6 address has brackets. */
function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
