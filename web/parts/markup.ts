import { type VNode } from 'preact';
import { html } from 'htm/preact';

export { html };

/** A component in a template. It is named here and not as a tag, because a template cannot check its properties. */
export function part<P extends object>(
  component: (props: P) => VNode | null,
  props: NoInfer<P> & { readonly key?: string },
): VNode {
  return html`<${component} ...${props} />`;
}
