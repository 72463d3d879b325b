import { type VNode } from 'preact';
import { type Lesson } from '../../src/contract/strategy.js';
import { readLesson } from '../client/strategies.js';
import { useTexts } from '../state/language.js';
import { useLoaded } from '../state/use-loaded.js';
import { Code } from './code.js';
import { pending } from './loaded.js';
import { html, part } from './markup.js';
import { Tabs } from './tabs.js';

/** The source of a strategy, and what one sale sends. */
export function LessonView({ name }: { readonly name: string }): VNode {
  const t = useTexts();
  const loaded = useLoaded((signal) => readLesson(name, signal), name);
  return pending(loaded) ?? lesson(loaded.value);

  function lesson({ files, transcript, sale }: Lesson = { files: [], transcript: null, sale: [] }): VNode {
    const tabs = files.map(({ path, text }) => ({
      name: path.split('/').at(-1) ?? path,
      content: () => html`<p class="path">${path}</p>${part(Code, { path, text, label: path })}`,
    }));
    return html`
      <section class="block">
        <h2>${t.catalogue.source}</h2>
        ${part(Tabs, { label: t.catalogue.sourceFiles, tabs })}
      </section>
      ${sale.length > 0 && part(Sale, { sale })}
      <section class="block">
        <h2>${t.catalogue.transcript}</h2>
        <p class="quiet">${transcript === null ? t.catalogue.noTranscript : t.catalogue.transcriptHint}</p>
        ${
          transcript !== null &&
          part(Code, {
            path: 'transcript.sql',
            text: withoutHead(transcript),
            label: t.catalogue.transcript,
            wrap: true,
          })
        }
      </section>
    `;
  }
}

/** The commands of one sale, in order, with their answers. */
function Sale({ sale }: Pick<Lesson, 'sale'>): VNode {
  const t = useTexts().catalogue;
  const rows = sale.map(
    ({ server, text, answer }) => html`
      <tr><th scope="row">${server}</th><td><code>${text}</code></td><td>${answer}</td></tr>
    `,
  );
  return html`
    <section class="block">
      <h2>${t.sale}</h2>
      <p class="quiet">${t.saleHint}</p>
      <div class="scroll" tabindex="0" role="region" aria-label=${t.sale}>
        <table class="sale" lang="en" translate="no">
          <thead><tr><th scope="col">${t.saleServer}</th><th scope="col">${t.saleCommand}</th><th scope="col">${t.saleAnswer}</th></tr></thead>
          <tbody>${rows}</tbody>
        </table>
      </div>
    </section>
  `;
}

/** Removes the first lines, which name the source of the transcript: the page says it already. */
const withoutHead = (transcript: string) => transcript.replace(/^(--[^\n]*\n)+\n/, '');
