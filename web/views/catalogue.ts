import { type VNode } from 'preact';
import { type ResultSummary } from '../../src/contract/lab-runs.js';
import { FAMILIES, type Guarantee, type StrategyListing } from '../../src/contract/strategy.js';
import { listRuns } from '../client/runs.js';
import { listStrategies } from '../client/strategies.js';
import { faultOf, latestResults, lessonOf, titleOf } from '../display/strategy-texts.js';
import { Icon } from '../parts/icon.js';
import { pending } from '../parts/loaded.js';
import { html, part } from '../parts/markup.js';
import { StrategyCard } from '../parts/strategy-card.js';
import { ViewHead } from '../parts/view-head.js';
import { useTexts } from '../state/language.js';
import { address, amend } from '../state/route.js';
import { useLoaded } from '../state/use-loaded.js';
import { type Texts } from '../texts/en.js';

const GUARANTEES: readonly Guarantee[] = ['always', 'while-the-lease-holds', 'one-process', 'never'];

export function Catalogue({ query }: { readonly query: URLSearchParams }): VNode {
  const t = useTexts();
  const loaded = useLoaded(listStrategies);
  // The catalogue is also shown without a lab.
  const runs = useLoaded((signal) => listRuns(signal).catch(() => []));
  const search = query.get('search') ?? '';
  const guarantee = GUARANTEES.find((one) => one === query.get('safe'));
  const choose = (wanted: { search?: string; safe?: string }) => {
    const next = Object.entries({ search, safe: guarantee ?? '', ...wanted }).filter(
      ([, value]) => value !== '',
    );
    amend(address('strategies', undefined, Object.fromEntries(next)));
  };
  const all = loaded.value ?? [];
  const found = all.filter(
    (strategy) => (guarantee === undefined || strategy.safe === guarantee) && matches(t, strategy, search),
  );
  const chip = (value: Guarantee | undefined, text: string) => html`
    <button class="chip" aria-pressed=${guarantee === value} onClick=${() => {
      choose({ safe: value ?? '' });
    }}>${text}</button>
  `;
  return html`
    ${part(ViewHead, { title: t.catalogue.title, lead: t.catalogue.lead })}
    <div class="filters">
      <label class="search">
        ${part(Icon, { name: 'search' })}
        <span class="unseen">${t.catalogue.search}</span>
        <input
          type="search"
          value=${search}
          placeholder=${t.catalogue.searchHint}
          onInput=${({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
            choose({ search: currentTarget.value });
          }}
        />
      </label>
      <div class="chips" role="group" aria-label=${t.catalogue.filter}>
        ${chip(undefined, t.catalogue.all)}
        ${GUARANTEES.map((one) => chip(one, t.guarantees[one]))}
      </div>
      <p class="quiet" role="status">${loaded.value && t.catalogue.found(found.length, all.length)}</p>
    </div>
    ${pending(loaded) ?? families(t, found, latestResults(runs.value ?? []))}
    ${
      loaded.value && found.length === 0
        ? html`
            <div class="empty">
              <p>${t.catalogue.none}</p>
              <button onClick=${() => {
                choose({ search: '', safe: '' });
              }}>${t.catalogue.clear}</button>
            </div>
          `
        : ''
    }
  `;
}

function matches(t: Texts, strategy: StrategyListing, search: string): boolean {
  const { name, title, teaches, family, breaksUnder } = strategy;
  const said = [
    name,
    title,
    teaches,
    family,
    t.families[family],
    titleOf(t, strategy),
    lessonOf(t, strategy),
  ];
  const faults = breaksUnder.flatMap((fault) => [fault, faultOf(t, fault)]);
  const text = [...said, ...faults].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function families(
  t: Texts,
  found: readonly StrategyListing[],
  latest: ReadonlyMap<string, ResultSummary>,
): VNode[] {
  return FAMILIES.flatMap((family) => {
    const members = found.filter((strategy) => strategy.family === family);
    if (members.length === 0) return [];
    return [
      html`
        <section class="family" aria-labelledby="family-${family}">
          <h2 id="family-${family}">${t.families[family]}</h2>
          <p class="quiet">${t.familyIdeas[family]}</p>
          <ul class="cards">
            ${members.map((strategy) => part(StrategyCard, { strategy, last: latest.get(strategy.name) }))}
          </ul>
        </section>
      `,
    ];
  });
}
