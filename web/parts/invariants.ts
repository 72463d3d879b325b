import { type VNode } from 'preact';
import { type Audit } from '../../src/contract/audit.js';
import { detailOf, type InvariantState, stateOf } from '../display/invariant-state.js';
import { type Lane } from '../display/lanes.js';
import { type Tone } from '../display/tones.js';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

const TONES: Readonly<Record<InvariantState, Tone>> = { holds: 'good', broken: 'bad', notApplicable: 'calm' };

/** The invariants behind each verdict. */
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
  const items = audit.invariants.map((invariant) => {
    const { name } = invariant;
    const state = stateOf(invariant);
    return html`
        <li class=${TONES[state]}>
          ${part(Icon, { name: TONES[state] })}
          <span>
            <code>${name}</code>${' '}<span class=${state === 'notApplicable' ? 'badge' : 'unseen'}>${t.run[state]}</span>
            <span class="quiet" lang="en">${detailOf(invariant)}</span>
          </span>
        </li>
      `;
  });
  return html`<ul class="invariants">${items}</ul>`;
}
