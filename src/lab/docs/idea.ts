/** The comment right before `@Strategy`, without its stars. */
export function ideaOf(source: string): string {
  const before = source.slice(0, source.search(/^@Strategy\(/m));
  const comment = before.slice(before.lastIndexOf('/**') + 3, before.lastIndexOf('*/'));
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*?\s?/, '').trimEnd());
  return lines.join('\n').trim();
}
