import { Store } from './store.js';

/** Where in the page one is. It is in the address after the #, so a reload or a link leads to the same place. */
export interface Route {
  readonly view: View;
  /** What of it: a strategy, a run, an experiment. */
  readonly id: string | undefined;
  readonly query: URLSearchParams;
}

export const VIEWS = ['home', 'strategies', 'run', 'experiments', 'system'] as const;
export type View = (typeof VIEWS)[number];

export function parseRoute(hash: string): Route | undefined {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?');
  const [name = '', id] = path.split('/').map(decode);
  const view = name === '' ? 'home' : VIEWS.find((one) => one === name);
  return view && { view, id: id === '' ? undefined : id, query: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function address(view: View, id?: string, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  const path = [view === 'home' ? '' : view, id].filter((part) => part !== undefined && part !== '');
  return `#/${path.map((part) => encodeURIComponent(String(part))).join('/')}${search ? `?${search}` : ''}`;
}

export const route = new Store<Route | undefined>(parseRoute(location.hash));

export function followAddress(): void {
  const read = () => {
    route.set(parseRoute(location.hash));
  };
  window.addEventListener('hashchange', read);
  read();
}

export function go(to: string): void {
  location.hash = to;
}

/** Changes the address without a step in the history: for what can be chosen within a view. */
export function amend(to: string): void {
  history.replaceState(null, '', to);
  route.set(parseRoute(to));
}
