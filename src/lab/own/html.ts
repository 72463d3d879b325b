import { drawSequence } from '../../diagram/svg.js';
import { withinBound } from '../explorer/bound-text.js';
import { diagramOf } from '../explorer/diagram.js';
import { type Exploration } from '../explorer/explorer.js';
import { htmlFile } from '../report/html-file.js';
import { html, Markup } from '../report/markup.js';
import { contradictions } from './judgement.js';
import { type Trial } from './trial.js';

export function trialPage(trial: Trial): string {
  const { strategy, load, speeds, explorations, experiments, untested } = trial;
  const against = contradictions(trial);
  return htmlFile(
    `trial of ${strategy.name}`,
    html` <header>
        <h1>Trial of ${strategy.name}</h1>
        <p>
          ${strategy.title}. It promises: ${strategy.safe}; except under
          ${strategy.breaksUnder.join(', ') || 'no fault'}.
        </p>
      </header>
      <main>
        <section>
          <h2>Verdict</h2>
          ${
            against.length === 0
              ? html`<p>Nothing that was tested contradicts its promises.</p>`
              : html`<ul>
                  ${against.map((line) => html`<li class="bad">${line}</li>`)}
                </ul>`
          }
          ${untested.map(({ part, why }) => html`<p>Not tested: ${part}: ${why}</p>`)}
          <p>Load at three instances: ${load.verdict}. ${load.explanation}</p>
        </section>
        <section>
          <h2>Speed beside built-in strategies</h2>
          ${table(
            ['strategy', 'sales per second', 'p50 ms', 'p99 ms', 'verdict'],
            speeds.map(({ strategy: name, throughput, p50, p99, verdict }) => [
              name,
              throughput.toFixed(0),
              p50.toFixed(1),
              p99.toFixed(1),
              verdict,
            ]),
          )}
        </section>
        <section>
          <h2>Explorer</h2>
          ${explorations.map(exploration)}
        </section>
        <section>
          <h2>Faults</h2>
          ${
            experiments.length === 0
              ? html`<p>No faults were injected.</p>`
              : table(
                  ['fault', 'verdict', 'as promised', 'why'],
                  experiments.map(({ fault, verdict, ok, why }) => [fault, verdict, ok ? 'yes' : 'no', why]),
                )
          }
        </section>
      </main>`,
  );
}

function exploration({ plan, coverage, findings, counterexample, bound }: Exploration): Markup {
  const fault = plan.faults === 'none' ? 'without a fault' : 'with one fault at any point';
  const counted = Object.entries(findings).map(([finding, count]) => `${finding} ${count}`);
  const drawing = counterexample && new Markup(drawSequence(diagramOf(counterexample, plan)));
  return html`<p>
      Two buyers, one unit, ${fault}: ${coverage.runs} schedules
      run${coverage.complete ? ', which stand for all' : ', not all'}${withinBound(bound)}.
      ${counted.join(', ')}.
    </p>
    ${drawing}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): Markup {
  return html`<table>
    <thead>
      <tr>
        ${head.map((cell) => html`<th>${cell}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
