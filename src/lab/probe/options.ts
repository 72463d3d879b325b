import { readArguments, wholeNumber } from '../arguments.js';
import { UsageError } from '../errors.js';
import { JsonPath } from './json-path.js';
import { headers, type RequestSpec, requestSpec, valueSpec } from './request-spec.js';
import { saleCriterion, type SaleCriterion } from './sale-criterion.js';

export interface ProbeOptions {
  readonly buy: RequestSpec;
  readonly stock: { readonly request: RequestSpec; readonly path: JsonPath } | undefined;
  readonly reset: RequestSpec | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowedHosts: readonly string[];
  /** Units that may be sold: per round with a reset, otherwise in all rounds together. */
  readonly supply: number | undefined;
  readonly quantity: number;
  readonly sold: SaleCriterion;
  readonly receipt: JsonPath | undefined;
  readonly buyers: number;
  readonly rounds: number;
  readonly timeoutMs: number;
  /** No round begins after this time. */
  readonly withinMs: number;
  readonly json: string | undefined;
}

export function readOptions(args: string[]): ProbeOptions {
  const { values } = readArguments('probe', args, {
    buy: { type: 'string' },
    stock: { type: 'string' },
    reset: { type: 'string' },
    header: { type: 'string', multiple: true, default: [] },
    'allow-host': { type: 'string', multiple: true, default: [] },
    supply: { type: 'string' },
    quantity: { type: 'string', default: '1' },
    'sold-status': { type: 'string', default: '2xx' },
    'sold-when': { type: 'string' },
    receipt: { type: 'string' },
    buyers: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '5' },
    timeout: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '60' },
    json: { type: 'string' },
  });
  if (values.buy === undefined)
    throw new UsageError(
      `--buy is missing: the request that buys one unit, such as --buy 'POST http://127.0.0.1:3000/buy {"sku":1}'. ` +
        '`lockstock probe --help` has all options.',
    );
  if (values.stock === undefined && values.supply === undefined)
    throw new UsageError(
      "Neither --stock nor --supply is given, so there is nothing to compare the sales with. Add --stock 'GET http://127.0.0.1:3000/stock $.left', or --supply N.",
    );
  return {
    buy: requestSpec('buy', values.buy),
    stock: values.stock === undefined ? undefined : valueSpec('stock', values.stock),
    reset: values.reset === undefined ? undefined : requestSpec('reset', values.reset),
    headers: headers(values.header),
    allowedHosts: values['allow-host'].map((host) => host.toLowerCase()),
    supply: values.supply === undefined ? undefined : wholeNumber('supply', values.supply, 1, 1_000_000),
    quantity: wholeNumber('quantity', values.quantity, 1, 10_000),
    sold: saleCriterion(values['sold-status'], values['sold-when']),
    receipt: values.receipt === undefined ? undefined : JsonPath.parse('receipt', values.receipt),
    buyers: wholeNumber('buyers', values.buyers, 2, 200),
    rounds: wholeNumber('rounds', values.rounds, 1, 100),
    timeoutMs: 1000 * wholeNumber('timeout', values.timeout, 1, 60),
    withinMs: 1000 * wholeNumber('seconds', values.seconds, 1, 600),
    json: values.json,
  };
}
