import { Failure } from '../client/http.js';
import { recall, remember } from './storage.js';
import { Store } from './store.js';

/** The question for the token, while it is open. */
export interface TokenQuestion {
  /** The server refused the token that was given before. */
  readonly wrong: boolean;
  readonly answer: (token: string | undefined) => void;
}

export const tokenQuestion = new Store<TokenQuestion | undefined>(undefined);
let token = recall('token') ?? undefined;

/** The link that the lab prints carries the token. It leaves the address bar and the history at once. */
export function takeTokenFromAddress(): void {
  const linked = /^#token=([^&]+)/.exec(location.hash)?.[1];
  if (linked === undefined) return;
  keep(decodeURIComponent(linked));
  history.replaceState(null, '', `${location.pathname}#/`);
}

function keep(found: string | undefined): void {
  token = found;
  remember('token', found ?? null);
}

/** He who is asked for the token and does not give it. Nothing went wrong, so nothing is said. */
export class Declined extends Error {}

/** Does what needs the token: asks for it once, and again while it is not the right one. */
export async function withToken<T>(work: (token: string) => Promise<T>): Promise<T> {
  let wrong = false;
  for (;;) {
    const given = token ?? (await ask(wrong));
    if (given === undefined) throw new Declined();
    try {
      const done = await work(given);
      keep(given);
      return done;
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 401) throw error;
      keep(undefined);
      wrong = true;
    }
  }
}

function ask(wrong: boolean): Promise<string | undefined> {
  return new Promise((resolve) => {
    tokenQuestion.set({
      wrong,
      answer: (given) => {
        tokenQuestion.set(undefined);
        resolve(given);
      },
    });
  });
}
