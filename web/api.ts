export interface Goods {
  readonly id: number;
  readonly name: string;
  readonly picture: string;
  readonly price: number;
  readonly supply: number;
  readonly inventory: number;
}

export interface Strategy {
  readonly name: string;
  readonly family: string;
  readonly title: string;
  readonly needs: readonly string[];
  readonly safe: 'always' | 'while-the-lease-holds' | 'one-process' | 'never';
  readonly teaches: string;
  readonly available: boolean;
}

export interface Audit {
  readonly verdict: string;
  readonly runId: number;
  readonly initial: number;
  readonly sold: number;
  readonly remaining: number;
  readonly oversoldBy: number;
  readonly invariants: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

interface Problem {
  readonly type?: string;
  readonly title?: string;
  readonly detail?: string;
}

/** Any answer but success, as a sentence. Status 0: there was no answer, or none that could be read. */
export class Failure extends Error {
  type = '';
  status = 0;
}

// The page and the API come from the same build, so the shape of a success is taken on trust.
export const listGoods = () => call('/goods') as Promise<readonly Goods[]>;
export const oneGoods = (id: number) => call(`/goods/${id}`) as Promise<Goods>;
export const listStrategies = () => call('/strategies') as Promise<readonly Strategy[]>;
export const audit = (id: number) => call(`/goods/${id}/audit`) as Promise<Audit>;
export const deduct = (id: number, strategy: string) =>
  call(`/goods/${id}/deduct/${strategy}`, { quantity: 1 }) as Promise<{ readonly instance: string }>;
export const startRun = (id: number, inventory: number, token: string) =>
  call(`/goods/${id}/reset`, { inventory }, { authorization: `Bearer ${token}` });

async function call(path: string, body?: object, headers?: Record<string, string>): Promise<unknown> {
  const json = { ...headers, 'content-type': 'application/json' };
  const request = body && { method: 'POST', headers: json, body: JSON.stringify(body) };
  const response = await fetch(path, request).catch(() => undefined);
  if (!response) throw new Failure('The server does not answer. Is Lockstock still running?');
  const answer = (await response.json().catch(() => null)) as Problem | null;
  if (response.ok && answer) return answer;
  const said = SENTENCES.get(response.status) ?? answer?.detail ?? answer?.title;
  const failure = new Failure(said ?? `The server answered ${response.status} without saying why.`);
  failure.type = answer?.type ?? '';
  failure.status = response.ok ? 0 : response.status;
  throw failure;
}

/** Where the server's own words are meant for programs rather than for visitors. */
const SENTENCES: ReadonlyMap<number, string> = new Map([
  [401, 'The admin token is missing or wrong. The right one was printed when Lockstock started.'],
  [429, 'Too many requests at once. Wait a second and try again.'],
]);
