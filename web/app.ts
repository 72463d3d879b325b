import { type VNode } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { Banner } from './parts/banner.js';
import { Footer } from './parts/footer.js';
import { Header } from './parts/header.js';
import { Trouble } from './parts/loaded.js';
import { html, part } from './parts/markup.js';
import { EXPLORED } from './parts/strategy-explorations.js';
import { TokenDialog } from './parts/token-dialog.js';
import { useTexts } from './state/language.js';
import { address, route, type Route } from './state/route.js';
import { useStore } from './state/store.js';
import { Catalogue } from './views/catalogue.js';
import { Comparison } from './views/comparison.js';
import { ExplorationStory } from './views/exploration-story.js';
import { ExperimentStory } from './views/experiment-story.js';
import { Experiments } from './views/experiments.js';
import { Home } from './views/home.js';
import { NewRun } from './views/new-run.js';
import { RunView } from './views/run-view.js';
import { StrategyView } from './views/strategy-view.js';
import { SystemView } from './views/system-view.js';

export function App(): VNode {
  const at = useStore(route);
  const t = useTexts();
  const main = useRef<HTMLElement>(null);
  const place = [at?.view ?? 'nowhere', at?.id].filter(Boolean).join('/');
  useNewPlace(place, main);
  const skip = (event: Event) => {
    // The fragment of the address names the current view: it must not change.
    event.preventDefault();
    main.current?.focus();
  };
  return html`
    <a class="skip" href="#main" onClick=${skip}>${t.shell.skip}</a>
    ${part(Header, { at })}
    ${part(Banner, {})}
    <main id="main" tabindex="-1" data-place=${place} ref=${main}>${part(Guarded, { key: place, at })}</main>
    ${part(Footer, {})}
    ${part(TokenDialog, {})}
  `;
}

/** After a link was followed, scrolls to the top of the new view and moves the focus there, also for screen readers. */
function useNewPlace(place: string, main: { readonly current: HTMLElement | null }): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [place]);
}

/** An error in one view does not affect the rest of the page. */
function Guarded({ at }: { readonly at: Route | undefined }): VNode {
  const [error] = useErrorBoundary((caught: unknown) => {
    console.error(caught);
  }) as [unknown, () => void];
  const t = useTexts();
  if (error !== undefined) return part(Trouble, { error: new Error(t.errors.unexpected) });
  return viewAt(at) ?? part(NotFound, {});
}

function viewAt(at: Route | undefined): VNode | undefined {
  if (!at) return undefined;
  const { view, id, query } = at;
  switch (view) {
    case 'home':
      return id === undefined ? part(Home, {}) : undefined;
    case 'strategies':
      return id === undefined ? part(Catalogue, { query }) : part(StrategyView, { name: id });
    case 'run':
      if (id === 'compare') return part(Comparison, { query });
      return id === undefined ? part(NewRun, { query }) : part(RunView, { id });
    case 'experiments':
      if (id?.startsWith(EXPLORED)) return part(ExplorationStory, { id: id.slice(EXPLORED.length), query });
      return id === undefined ? part(Experiments, {}) : part(ExperimentStory, { id, query });
    case 'system':
      return id === undefined ? part(SystemView, {}) : undefined;
  }
}

function NotFound(): VNode {
  const t = useTexts();
  return html`
    <div class="empty">
      <h1>${t.shell.notFound}</h1>
      <p><a href=${address('home')}>${t.shell.toStart}</a></p>
    </div>
  `;
}
