/** The settings of a script, from the environment (`-e NAME=value`). This file does not import k6. */
export interface Settings {
  readonly script: string;
  readonly baseUrl: string;
  readonly adminToken: string;
  /** One name; `all` takes a list. */
  readonly strategies: readonly string[];
  readonly goods: readonly number[];
  readonly stock: number;
  readonly vus: number;
  readonly requests: number;
  readonly durationS: number;
  /** How often a purchase is sent at the same time (retry storm). */
  readonly copies: number;
  /** Also fail for strategies that do not promise to be safe. */
  readonly strict: boolean;
  /** The path of the JSON report; empty: no report. */
  readonly report: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The defaults of a script. */
export interface Defaults {
  readonly strategies?: string;
  readonly goods?: string;
  readonly stock: number;
  readonly vus: number;
  readonly requests?: number;
  readonly duration?: string;
  readonly copies?: number;
}

/** An invalid setting; the message says which one, and what is allowed. */
export class SettingsError extends Error {}

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

export function readSettings(script: string, env: Environment, defaults: Defaults): Settings {
  // An empty value means "not set", as in the service's own settings.
  const text = (name: string, otherwise: string) => env[name]?.trim() || otherwise;
  const whole = (name: string, otherwise: number, min: number, max: number) =>
    wholeNumber(name, text(name, String(otherwise)), min, max);
  return {
    script,
    baseUrl: url(text('BASE_URL', 'http://localhost:8080')),
    adminToken: token(text('ADMIN_TOKEN', '')),
    strategies: strategyNames(env, defaults.strategies),
    goods: goodsIds(text('GOODS', defaults.goods ?? '1')),
    stock: whole('STOCK', defaults.stock, 0, 1_000_000),
    vus: whole('VUS', defaults.vus, 1, 10_000),
    requests: whole('REQUESTS', defaults.requests ?? defaults.vus, 1, 10_000_000),
    durationS: seconds(text('DURATION', defaults.duration ?? '30s')),
    copies: whole('COPIES', defaults.copies ?? 1, 1, 20),
    strict: flag('STRICT', text('STRICT', '0')),
    report: env['REPORT'] ?? `reports/k6-${script}.json`,
  };
}

/** `defaults` is undefined where an empty list means all strategies. */
function strategyNames(env: Environment, defaults: string | undefined): string[] {
  const [name, text] = defaults === undefined ? ['STRATEGIES', ''] : ['STRATEGY', defaults];
  const given = env[name]?.trim() || text;
  const names = given === '' ? [] : given.split(',').map((part) => part.trim());
  const wrong = names.find((part) => !NAME.test(part));
  if (wrong !== undefined)
    throw new SettingsError(`${name} contains ${shown(wrong)}, which cannot be the name of a strategy.`);
  if (defaults !== undefined && names.length !== 1) {
    throw new SettingsError(`STRATEGY must be one name, not ${shown(given)}; the script all takes several.`);
  }
  return [...new Set(names)];
}

function goodsIds(text: string): number[] {
  const ids = text.split(',').map((part) => wholeNumber('GOODS', part.trim(), 1, 2_147_483_647));
  return [...new Set(ids)];
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  throw new SettingsError(`${name} must be a whole number from ${min} to ${max}, not ${shown(text)}.`);
}

function seconds(text: string): number {
  const [, digits, unit = 's'] = /^(\d{1,6})(s|m|h)$/.exec(text) ?? [];
  const length = Number(digits) * { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h'];
  if (length >= 1 && length <= 86_400) return length;
  throw new SettingsError(
    `DURATION must be a length of time from 1s to 24h, such as 90s, not ${shown(text)}.`,
  );
}

function flag(name: string, text: string): boolean {
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false') return false;
  throw new SettingsError(`${name} must be 1 or 0, not ${shown(text)}.`);
}

function url(text: string): string {
  if (/^https?:\/\/[^/\s?#]+\/?$/.test(text)) return text.replace(/\/$/, '');
  throw new SettingsError(`BASE_URL must look like http://localhost:8080, not ${shown(text)}.`);
}

function token(text: string): string {
  if (text === '') {
    throw new SettingsError(
      'ADMIN_TOKEN is missing: the shop prints it when it starts. `npm run k6` finds it by itself.',
    );
  }
  // The same rule as in the service. The value itself must not be logged.
  if (/^[A-Za-z0-9._~+/=-]{16,200}$/.test(text)) return text;
  throw new SettingsError('ADMIN_TOKEN must have 16 to 200 letters, digits or . _ ~ + / = -');
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
