import { type VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { type RunConfig, type RunRecord } from '../../src/contract/lab-runs.js';
import { Failure } from '../client/http.js';
import { stopRun } from '../client/runs.js';
import { lanesOf } from '../display/lanes.js';
import { Icon } from '../parts/icon.js';
import { pending, Trouble } from '../parts/loaded.js';
import { html, part } from '../parts/markup.js';
import { RunBoard } from '../parts/run-board.js';
import { ViewHead } from '../parts/view-head.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { withToken } from '../state/token.js';
import { useAction } from '../state/use-action.js';
import { useRun } from '../state/use-run.js';

/** One run, live or from the history. */
export function RunView({ id }: { readonly id: string }): VNode {
  const t = useTexts();
  const loaded = useRun(id);
  const back = { href: address('run'), text: t.run.back };
  if (loaded.value) return part(Board, { run: loaded.value, failure: loaded.error });
  const unknown = loaded.error instanceof Failure && loaded.error.status === 404;
  return html`
    ${part(ViewHead, { title: t.run.title, back })}
    ${unknown ? html`<div class="empty"><p>${t.run.noSuchRun}</p></div>` : pending(loaded)}
  `;
}

interface BoardProps {
  readonly run: RunRecord;
  /** Why the run can no longer be followed. */
  readonly failure: unknown;
}

function Board({ run, failure }: BoardProps): VNode {
  const t = useTexts();
  const { id, config, state, startedAt } = run;
  const lanes = useMemo(() => lanesOf(run), [run]);
  const stop = useAction(() => withToken((token) => stopRun(id, token)));
  const running = state === 'running';
  const lead = t.run.config(config.stock, config.buyers, config.requests, config.instances);
  return html`
    ${part(ViewHead, { title: config.strategies.join(', '), lead, back: { href: address('run'), text: t.run.back } })}
    <p class="run-line">
      <span class="run-state ${state}">${t.run.states[state]}</span>
      <time class="quiet" datetime=${startedAt}>${t.date(startedAt)}</time>
      ${
        running
          ? html`
              <button class="danger" onClick=${stop.start} aria-disabled=${stop.busy}>
                ${part(Icon, { name: 'stop' })}${stop.busy ? t.run.stopping : t.run.stop}
              </button>
            `
          : html`<a class="button" href=${address('run', undefined, asQuery(config))}>${t.run.again}</a>`
      }
    </p>
    ${run.error !== undefined && part(Trouble, { error: new Error(run.error) })}
    ${failure !== undefined && part(Trouble, { error: failure })}
    ${stop.error !== undefined && part(Trouble, { error: stop.error })}
    ${part(RunBoard, { lanes, running })}
  `;
}

function asQuery({ strategies, stock, buyers, requests, instances }: RunConfig): Record<string, string> {
  return {
    strategies: strategies.join(','),
    stock: String(stock),
    buyers: String(buyers),
    requests: String(requests),
    ...(instances !== undefined && { instances: String(instances) }),
  };
}
