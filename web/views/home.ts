import { type VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { Demonstration } from '../parts/demonstration.js';
import { LastItemStory } from '../parts/last-item-story.js';
import { html, part } from '../parts/markup.js';
import { useTexts } from '../state/language.js';
import { address, type View } from '../state/route.js';

const NEXT = ['strategies', 'run', 'experiments'] as const satisfies readonly View[];

/** The start page: shows and explains overselling. */
export function Home(): VNode {
  const t = useTexts().home;
  useEffect(() => {
    document.title = 'Lockstock';
  }, []);
  const next = NEXT.map(
    (view) => html`
      <li class="card">
        <h3><a href=${address(view)}>${t.next[view].title}</a></h3>
        <p>${t.next[view].text}</p>
      </li>
    `,
  );
  return html`
    <div class="hero">
      <h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
    </div>
    ${part(Demonstration, {})}
    ${part(LastItemStory, {})}
    <section class="block">
      <h2>${t.nextTitle}</h2>
      <ul class="cards">${next}</ul>
    </section>
  `;
}
