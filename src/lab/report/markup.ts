const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML that is inserted as it is. Every other value is text, and is escaped. */
export class Markup {
  constructor(readonly source: string) {}
}

type Part = string | number | Markup | readonly Markup[] | undefined;

/** An HTML template: only `Markup` values are inserted as they are. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(texts.map((text, index) => text + sourceOf(parts[index])).join(''));
}

function sourceOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.source;
  if (typeof part === 'object') return part.map(({ source }) => source).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
