import { Store } from './store.js';

/** The current view. It is in the fragment of the address, so a reload or a link leads to the same view. */
export interface Route {
  readonly view: View;
  /** The strategy, run or experiment that is shown. */
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

/** Changes the address without a new entry in the history: for choices within a view. */
export function amend(to: string): void {
  history.replaceState(null, '', to);
  route.set(parseRoute(to));
}
