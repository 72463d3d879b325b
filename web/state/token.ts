import { Failure } from '../client/http.js';
import { recall, remember } from './storage.js';
import { Store } from './store.js';

/** The open token dialog. */
export interface TokenQuestion {
  /** The server refused the token that was given before. */
  readonly wrong: boolean;
  readonly answer: (token: string | undefined) => void;
}

export const tokenQuestion = new Store<TokenQuestion | undefined>(undefined);
let token = recall('token') ?? undefined;

/** The link that the lab prints contains the token. It is removed from the address bar and the history at once. */
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

/** The user cancelled the token dialog. This is not an error, so nothing is shown. */
export class Declined extends Error {}

/** Runs `work` with the token. Asks for the token if there is none, and again while it is wrong. */
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
