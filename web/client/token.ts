import { texts } from '../core/language.js';
import { recall, remember } from '../core/kept.js';
import { Store } from '../core/store.js';
import { Failure } from './http.js';

/** The question for the token, while it is open. */
export interface TokenQuestion {
  readonly complaint: string | undefined;
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
  let complaint: string | undefined;
  for (;;) {
    const given = token ?? (await ask(complaint));
    if (given === undefined) throw new Declined();
    try {
      const done = await work(given);
      keep(given);
      return done;
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 401) throw error;
      keep(undefined);
      complaint = texts().token.wrong;
    }
  }
}

function ask(complaint: string | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    tokenQuestion.set({
      complaint,
      answer: (given) => {
        tokenQuestion.set(undefined);
        resolve(given);
      },
    });
  });
}
