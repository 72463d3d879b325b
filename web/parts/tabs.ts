import { type VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { html } from './markup.js';

export interface Tab {
  readonly name: string;
  readonly content: () => VNode;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
}

/** Tabs; the arrow keys move from one to the next. */
export function Tabs({ label, tabs }: TabsProps): VNode {
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const at = Math.min(chosen, tabs.length - 1);
  const onKey = (event: KeyboardEvent) => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const next = (at + move + tabs.length) % tabs.length;
    setChosen(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };
  const buttons = tabs.map(
    ({ name }, index) => html`
      <button
        role="tab"
        id="${id}-tab-${index}"
        aria-selected=${index === at}
        aria-controls="${id}-panel"
        tabindex=${index === at ? 0 : -1}
        onClick=${() => {
          setChosen(index);
        }}
      >${name}</button>
    `,
  );
  return html`
    <div class="tabs">
      <div role="tablist" aria-label=${label} onKeyDown=${onKey}>${buttons}</div>
      <div role="tabpanel" id="${id}-panel" aria-labelledby="${id}-tab-${at}">${tabs[at]?.content()}</div>
    </div>
  `;
}
