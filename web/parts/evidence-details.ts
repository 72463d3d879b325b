import { type VNode } from 'preact';
import { type Evidence } from '../../src/contract/evidence.js';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { InvariantList } from './invariants.js';
import { html, part } from './markup.js';
import { Proofs } from './proofs.js';
import { RowTable } from './row-table.js';

/** The details of the evidence: proofs, the order of the checkpoints, the rows, the audit. */
export function EvidenceDetails({ evidence }: { readonly evidence: Evidence }): VNode {
  const t = useTexts();
  const { proofs, order, rows, audit } = evidence;
  return html`
    <div class="halves">
      ${part(Proofs, { proofs })}
      <section class="block">
        <h2>${t.run.invariants}</h2>
        ${part(InvariantList, { audit })}
      </section>
    </div>
    <section class="block">
      <h2>${t.experiments.order}</h2>
      <ol class="checkpoints ${order.ok ? 'good' : 'bad'}">
        ${order.seen.map((name) => html`<li><code>${name}</code></li>`)}
      </ol>
      ${
        !order.ok &&
        html`<p class="complaint">${part(Icon, { name: 'bad' })} ${t.experiments.expected}: ${order.expected.join(' → ')}</p>`
      }
    </section>
    <section class="block">
      <h2>${t.experiments.rows}</h2>
      <h3>${t.experiments.goods}</h3>
      ${part(RowTable, { label: t.experiments.goods, rows: [rows.goods] })}
      <h3>${t.experiments.orders}</h3>
      ${rows.orders.length > 0 ? part(RowTable, { label: t.experiments.orders, rows: rows.orders }) : html`<p class="quiet">${t.experiments.noOrders}</p>`}
    </section>
  `;
}
