import { readdirSync, readFileSync } from 'node:fs';
import { type DataFolder } from '../data-folder.js';
import { LabError, reasonOf } from '../errors.js';
import { type Shop } from '../shop.js';

const WITHIN_MS = 10_000;
const GOODS = 1;

/** A strategy that cannot sell to one buyer is not put under load: the answer and the logs say what is wrong. */
export async function firstSale(shop: Shop, strategy: string, folder: DataFolder): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${shop.adminToken}` };
  let answer: string;
  try {
    const response = await fetch(`${shop.url}/goods/${GOODS}/deduct/${strategy}`, {
      ...{ method: 'POST', headers, body: '{"quantity":1}' },
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    if (response.ok) return;
    answer = `it was answered with ${response.status} ${(await response.text()).slice(0, 300)}`;
  } catch (error) {
    const timedOut = (error as Error).name === 'TimeoutError';
    answer = timedOut ? `there was no answer within ${WITHIN_MS / 1000} s` : reasonOf(error);
  }
  const errors = lastErrors(folder);
  throw new LabError(
    `${strategy} does not sell to a single buyer: ${answer}. Nothing else was tested.${errors === '' ? '' : `\n${errors}`}`,
  );
}

interface LogLine {
  readonly level: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
}

const ERROR = 50;
const LINES = 6;

function lastErrors(folder: DataFolder): string {
  const logs = readdirSync(folder.in('logs')).filter((name) => name.startsWith('instance-'));
  const lines = logs.flatMap((name) => readFileSync(folder.in(`logs/${name}`), 'utf8').split('\n'));
  const errors = lines.flatMap((line) => {
    try {
      const parsed = JSON.parse(line) as LogLine;
      return parsed.level >= ERROR ? (parsed.err?.stack ?? parsed.err?.message ?? parsed.msg ?? '') : [];
    } catch {
      return [];
    }
  });
  const last = (errors.at(-1) ?? '').split('\n').slice(0, LINES);
  return last
    .filter((line) => line.trim() !== '')
    .map((line) => `  ${line}`)
    .join('\n');
}
