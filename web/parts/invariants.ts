import { type VNode } from 'preact';
import { type Audit } from '../../src/contract/audit.js';
import { type Lane } from '../display/lanes.js';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

/** What the verdict rests on, check by check. */
export function Invariants({
  lanes,
}: {
  readonly lanes: readonly Pick<Lane, 'label' | 'hue' | 'result'>[];
}): VNode | null {
  const t = useTexts();
  const audited = lanes.flatMap(({ label, hue, result }) =>
    result?.audit ? [{ label, hue, audit: result.audit }] : [],
  );
  if (audited.length === 0) return null;
  return html`
    <section class="block">
      <h2>${t.run.invariants}</h2>
      <div class="audits">
        ${audited.map(
          ({ label, hue, audit }) => html`
            <div>
              <h3 class="lane-name hue-${hue}"><i></i>${label}</h3>
              ${part(InvariantList, { audit })}
            </div>
          `,
        )}
      </div>
    </section>
  `;
}

export function InvariantList({ audit }: { readonly audit: Pick<Audit, 'invariants'> }): VNode {
  const t = useTexts();
  const items = audit.invariants.map(
    ({ name, ok, detail }) => html`
      <li class=${ok ? 'good' : 'bad'}>
        ${part(Icon, { name: ok ? 'good' : 'bad' })}
        <span><code>${name}</code> <span class="unseen">${ok ? t.run.holds : t.run.broken}</span><span class="quiet" lang="en">${detail}</span></span>
      </li>
    `,
  );
  return html`<ul class="invariants">${items}</ul>`;
}
