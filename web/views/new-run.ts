import { type VNode } from 'preact';
import { listRuns } from '../client/runs.js';
import { listStrategies } from '../client/strategies.js';
import { pending } from '../parts/loaded.js';
import { html, part } from '../parts/markup.js';
import { RunForm } from '../parts/run-form.js';
import { RunHistory } from '../parts/run-history.js';
import { ViewHead } from '../parts/view-head.js';
import { useTexts } from '../state/language.js';
import { useLoaded } from '../state/use-loaded.js';

/** Start a new run, or open an earlier one. */
export function NewRun({ query }: { readonly query: URLSearchParams }): VNode {
  const t = useTexts();
  const strategies = useLoaded(listStrategies);
  const runs = useLoaded(listRuns);
  return html`
    ${part(ViewHead, { title: t.run.title, lead: t.run.lead })}
    ${pending(strategies) ?? part(RunForm, { key: query.toString(), strategies: strategies.value ?? [], query })}
    <section class="block">
      <h2>${t.run.history}</h2>
      ${pending(runs) ?? part(RunHistory, { runs: runs.value ?? [] })}
    </section>
  `;
}
