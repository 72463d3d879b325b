import { type VNode } from 'preact';
import { type StoredLock, type StoredState } from '../../src/contract/evidence.js';
import { useTexts } from '../state/language.js';
import { html } from './markup.js';

export interface StoredStateProps {
  readonly state: StoredState;
  /** The state before the step: what differs is marked. */
  readonly before: StoredState | undefined;
  /** The name of an actor. */
  readonly name: (actor: string) => string;
}

/** The votes of one holder are one lock. */
function byHolder(locks: readonly StoredLock[]): readonly (readonly StoredLock[])[] {
  const holders = [...new Set(locks.map(({ holder, leaseMs }) => `${holder} ${leaseMs ?? ''}`))];
  return holders.map((one) => locks.filter(({ holder, leaseMs }) => `${holder} ${leaseMs ?? ''}` === one));
}

/** The stock, the orders and the locks after a step. */
export function StoredStateTable({ state, before, name }: StoredStateProps): VNode {
  const t = useTexts().experiments.stored;
  const lock = ([first, ...others]: readonly StoredLock[]) => {
    if (!first) return '';
    const { holder, leaseMs } = first;
    const servers = [first, ...others].map(({ at }) => name(at)).join(', ');
    return `${t.heldBy(holder, servers)}${leaseMs === undefined ? '' : `, ${t.lease(leaseMs)}`}`;
  };
  const locks = (of: StoredState | undefined) =>
    of?.locks && (of.locks.length === 0 ? t.free : byHolder(of.locks).map(lock).join('; '));
  const row = (label: string, now: number | string | undefined, earlier: number | string | undefined) =>
    now === undefined
      ? null
      : html`
          <div class=${now === earlier ? '' : 'changed'}>
            <dt>${label}</dt>
            <dd>${now}${now !== earlier && earlier !== undefined && html`<span class="unseen"> (${t.changed})</span>`}</dd>
          </div>
        `;
  return html`
    <dl class="stored" aria-label=${t.title}>
      ${row(t.inventory, state.inventory, before?.inventory)}
      ${row(t.sold, state.sold, before?.sold)}
      ${row(t.redisStock, state.redisStock, before?.redisStock)}
      ${row(t.lock, locks(state), locks(before))}
    </dl>
  `;
}
