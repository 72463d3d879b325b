/** A new element. Children are nodes or text, never markup, so nothing the server says can become a tag. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

/** The element of index.html with this id, which must be of this kind. */
export function find<T extends Element>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`index.html has no ${kind.name} #${id}`);
}

/** What went wrong, as a sentence. */
export function sorry(error: unknown, ...after: readonly Node[]): HTMLElement {
  return element('p', 'sentence bad', error instanceof Error ? error.message : String(error), ...after);
}
