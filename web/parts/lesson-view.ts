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

  function lesson({ files, transcript }: Lesson = { files: [], transcript: null }): VNode {
    const tabs = files.map(({ path, text }) => ({
      name: path.split('/').at(-1) ?? path,
      content: () => html`<p class="path">${path}</p>${part(Code, { path, text, label: path })}`,
    }));
    return html`
      <section class="block">
        <h2>${t.catalogue.source}</h2>
        ${part(Tabs, { label: t.catalogue.sourceFiles, tabs })}
      </section>
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

/** Removes the first lines, which name the source of the transcript: the page says it already. */
const withoutHead = (transcript: string) => transcript.replace(/^(--[^\n]*\n)+\n/, '');
