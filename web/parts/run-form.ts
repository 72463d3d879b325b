import { type VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type StrategyListing } from '../../src/contract/strategy.js';
import { Failure } from '../client/http.js';
import { startRun } from '../client/runs.js';
import { connection } from '../state/connection.js';
import { useTexts } from '../state/language.js';
import { address, go } from '../state/route.js';
import { useStore } from '../state/store.js';
import { withToken } from '../state/token.js';
import { useAction } from '../state/use-action.js';
import { Icon } from './icon.js';
import { Trouble } from './loaded.js';
import { html, part } from './markup.js';
import { NumberField } from './number-field.js';
import { StrategyPicker } from './strategy-picker.js';

export interface RunFormProps {
  readonly strategies: readonly StrategyListing[];
  /** The choices in the address. */
  readonly query: URLSearchParams;
}

const FIELDS = {
  stock: { min: 0, max: 1_000_000, usual: 200 },
  buyers: { min: 1, max: 1000, usual: 50 },
  requests: { min: 1, max: 1_000_000, usual: 1000 },
} as const;
const USUAL = 'no-lock,for-update';

/** The form for a run: strategies, stock, buyers, attempts, instances. */
export function RunForm({ strategies, query }: RunFormProps): VNode {
  const t = useTexts();
  const { state, system } = useStore(connection);
  const all = system?.instances.length ?? 1;
  const [chosen, setChosen] = useState(() => known(strategies, query.get('strategies') ?? USUAL));
  const [numbers, setNumbers] = useState(() => asked(query));
  const instances = Math.min(numbers.instances ?? all, Math.max(all, 1));
  const run = useAction(async () => {
    const { stock, buyers, requests } = numbers;
    const config = { strategies: chosen, stock, buyers, requests, instances };
    const { id } = await withToken((token) => startRun(config, token));
    go(address('run', id));
  });
  const away = state === 'lost' || state === 'absent';
  const submit = (event: Event) => {
    event.preventDefault();
    if (chosen.length > 0 && !away) run.start();
  };
  const field = (name: keyof typeof FIELDS) =>
    part(NumberField, {
      label: t.run[name],
      ...FIELDS[name],
      value: numbers[name],
      onValue: (value: number) => {
        setNumbers((before) => ({ ...before, [name]: value }));
      },
    });
  return html`
    <form class="run-form" onSubmit=${submit} aria-label=${t.run.title}>
      ${part(StrategyPicker, { strategies, chosen, onChange: setChosen })}
      <div class="numbers">
        ${field('stock')}${field('buyers')}${field('requests')}
        ${part(NumberField, {
          label: t.run.instances,
          min: 1,
          max: all,
          value: instances,
          onValue: (value: number) => {
            setNumbers((before) => ({ ...before, instances: value }));
          },
        })}
        <button class="primary large" disabled=${chosen.length === 0 || away} aria-disabled=${run.busy}>
          ${part(Icon, { name: 'play' })}${run.busy ? t.run.starting : t.run.start}
        </button>
      </div>
      ${part(RunTrouble, { error: run.error })}
    </form>
  `;
}

interface Numbers {
  readonly stock: number;
  readonly buyers: number;
  readonly requests: number;
  readonly instances: number | undefined;
}

function asked(query: URLSearchParams): Numbers {
  const whole = (name: string) => (/^\d+$/.test(query.get(name) ?? '') ? Number(query.get(name)) : undefined);
  return {
    stock: whole('stock') ?? FIELDS.stock.usual,
    buyers: whole('buyers') ?? FIELDS.buyers.usual,
    requests: whole('requests') ?? FIELDS.requests.usual,
    instances: whole('instances'),
  };
}

const known = (strategies: readonly StrategyListing[], names: string): readonly string[] =>
  names.split(',').filter((name) => strategies.some((strategy) => strategy.name === name));

/** Why a run did not start, with a link if another run is in progress. */
export function RunTrouble({ error }: { readonly error: unknown }): VNode | null {
  const t = useTexts();
  if (error === undefined) return null;
  if (!(error instanceof Failure) || error.problem.type !== 'run-in-progress')
    return part(Trouble, { error });
  const other = error.problem['id'];
  return html`
    <div class="trouble warn" role="alert">
      ${part(Icon, { name: 'warn' })}
      <p>${t.run.busy} ${typeof other === 'string' && html`<a href=${address('run', other)}>${t.run.watchIt}</a>`}</p>
    </div>
  `;
}
