import { type VNode } from 'preact';
import { html } from 'htm/preact';

export { html };

/** Inserts a component into a template. The compiler checks its properties, which it cannot do for a tag. */
export function part<P extends object>(
  component: (props: P) => VNode | null,
  props: NoInfer<P> & { readonly key?: string },
): VNode {
  return html`<${component} ...${props} />`;
}
