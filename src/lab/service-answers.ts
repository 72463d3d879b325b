import { type Audit } from '../contract/audit.js';
import { isAudit, isHealth, isStrategyList } from '../contract/guards.js';
import { type Health } from '../contract/health.js';
import { type StrategyListing } from '../contract/strategy.js';
import { LabError } from './errors.js';

/** The body of an answer of the service. It is checked here, where answers enter the lab. */
export async function bodyOf<T>(response: Response, isExpected: (body: unknown) => body is T): Promise<T> {
  const body: unknown = await response.json().catch(() => undefined);
  if (isExpected(body)) return body;
  throw new LabError(`The server at ${response.url} is not Lockstock (status ${response.status}).`);
}

export async function readStrategies(url: string): Promise<StrategyListing[]> {
  return bodyOf(await fetch(`${url}/strategies`), isStrategyList);
}

export async function readAudit(url: string, goodsId: number): Promise<Audit> {
  return bodyOf(await fetch(`${url}/goods/${goodsId}/audit`), isAudit);
}

/** The states of the servers that the instance is connected to; none while it shuts down. */
export async function readEngines(url: string): Promise<NonNullable<Health['engines']>> {
  const { engines } = await bodyOf(await fetch(`${url}/health/ready`), isHealth);
  return engines ?? {};
}
