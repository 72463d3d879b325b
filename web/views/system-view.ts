import { type VNode } from 'preact';
import { Loading } from '../parts/loaded.js';
import { LockTable } from '../parts/lock-table.js';
import { html, part } from '../parts/markup.js';
import { PoolMeters } from '../parts/pool-meters.js';
import { ProcessList } from '../parts/process-list.js';
import { Prose } from '../parts/prose.js';
import { ViewHead } from '../parts/view-head.js';
import { connection } from '../state/connection.js';
import { useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';

/** The processes, connections and locks of the lab. */
export function SystemView(): VNode {
  const t = useTexts();
  const { state, system } = useStore(connection);
  if (!system) {
    return html`
      ${part(ViewHead, { title: t.system.title, lead: t.system.lead })}
      ${
        state === 'connecting'
          ? part(Loading, {})
          : html`<div class="empty"><p>${part(Prose, { text: state === 'absent' ? t.lab.absentText : t.lab.lostBanner })}</p></div>`
      }
    `;
  }
  const { instances, engines, locks, pools, streamLag, version, startedAt } = system;
  return html`
    ${part(ViewHead, { title: t.system.title, lead: t.system.lead })}
    <div class="system ${state === 'lost' ? 'stale' : ''}">
      <div>
        ${part(ProcessList, { title: t.system.instances, processes: instances })}
        <section class="block">
          <h2>${t.system.pools}</h2>
          ${part(PoolMeters, { pools })}
        </section>
        <section class="block">
          <h2>${t.system.lag}</h2>
          <p class="figure">${t.system.lagText(streamLag)}</p>
          <p class="quiet">${t.system.lagHint}</p>
        </section>
      </div>
      <div>
        ${part(ProcessList, { title: t.system.engines, processes: engines })}
        <dl class="about">
          <div><dt>${t.system.version}</dt><dd>${version}</dd></div>
          <div><dt>${t.system.since}</dt><dd>${t.system.date(startedAt)}</dd></div>
        </dl>
      </div>
      <section class="block full">
        <h2>${t.system.locks}</h2>
        ${part(LockTable, { locks })}
      </section>
    </div>
  `;
}
