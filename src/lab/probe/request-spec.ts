import { validateHeaderName, validateHeaderValue } from 'node:http';
import { UsageError } from '../errors.js';
import { JsonPath } from './json-path.js';

/** A request as the user wrote it. `{{n}}` and `{{id}}` in it are filled in for each purchase. */
export interface RequestSpec {
  readonly method: string;
  readonly url: string;
  /** Empty when the request has none. */
  readonly body: string;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** The connection belongs to the probe: these headers are its own. */
const OWN_HEADERS = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade'];

/** Reads `POST http://127.0.0.1:3000/buy {"sku":1}`. */
export function requestSpec(option: string, text: string): RequestSpec {
  const [, method = '', url = '', body = ''] = /^(\S+)\s+(\S+)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  if (!METHODS.includes(method))
    throw new UsageError(
      `--${option} must begin with a method (${METHODS.join(', ')}) and an address, such as ` +
        `'POST http://127.0.0.1:3000/buy {"sku":1}', not ${JSON.stringify(text)}.`,
    );
  // Parsed as the address of one purchase, because the placeholders are no characters of an address.
  const parsed = URL.canParse(sample(url)) ? new URL(sample(url)) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw new UsageError(
      `--${option} needs an address with http:// or https://, and ${JSON.stringify(url)} is none.`,
    );
  if (parsed.username !== '' || parsed.password !== '')
    throw new UsageError(
      `--${option} has a password in its address. Send it with --header 'Authorization: …'.`,
    );
  if (body !== '' && (method === 'GET' || method === 'HEAD'))
    throw new UsageError(`--${option} is a ${method} request with a body; use POST, or leave the body out.`);
  return { method, url, body };
}

/** A request whose answer has a number at a path: `GET http://127.0.0.1:3000/stock $.left`. */
export function valueSpec(option: string, text: string): { request: RequestSpec; path: JsonPath } {
  const [, request, path] = /^([^]*\S)\s+(\$\S*)$/.exec(text.trim()) ?? [];
  if (request === undefined || path === undefined)
    throw new UsageError(
      `--${option} must end with the place of the number in the JSON answer, such as ` +
        `'GET http://127.0.0.1:3000/stock $.left'; $ alone is an answer that is just a number.`,
    );
  return { request: requestSpec(option, request), path: JsonPath.parse(option, path) };
}

/** Reads `Name: value`. */
export function headers(given: readonly string[]): Record<string, string> {
  const entries = given.map((text, index) => {
    const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
    try {
      validateHeaderName(name);
      validateHeaderValue(name, sample(value));
    } catch {
      // The value may be a secret, so the message does not repeat it.
      throw new UsageError(`--header number ${index + 1} is not of the form 'Name: value'.`);
    }
    if (OWN_HEADERS.includes(name.toLowerCase()))
      throw new UsageError(`--header cannot set ${name}: the probe sets it itself.`);
    return [name.toLowerCase(), value] as const;
  });
  return Object.fromEntries(entries);
}

/** What differs from purchase to purchase: a number, and a random id. */
export interface Purchase {
  readonly n: number;
  readonly id: string;
}

export function filled(text: string, { n, id }: Purchase): string {
  return text.replaceAll('{{n}}', String(n)).replaceAll('{{id}}', id);
}

/** As one purchase would have it. */
export function sample(text: string): string {
  return filled(text, { n: 1, id: 'id' });
}
