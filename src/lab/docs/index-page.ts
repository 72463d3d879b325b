import { type Facts } from './facts.js';
import { FAMILY_TITLES, linked, lossesOf, PROMISES, serversOf } from './words.js';

/** The table of all strategies, in reading order. */
export function indexPage(all: readonly Facts[]): string {
  const names = all.map(({ metadata }) => metadata.name);
  const families = [...new Set(all.map(({ metadata }) => metadata.family))];
  const sections = families.flatMap((family) => [
    `## ${FAMILY_TITLES[family]}`,
    [
      '| strategy | idea | never oversells | loses nothing acknowledged | breaks under | needs | when to use it |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      ...all.filter(({ metadata }) => metadata.family === family).map((facts) => row(facts, names)),
    ].join('\n'),
  ]);
  return `${[
    '<!-- Written by `npm run docs` from the strategies’ own files. -->',
    '# The strategies, one page each',
    'Each page has the idea, the SQL or Lua of one sale, the guarantees, what breaks the strategy, when to use it and what it costs. The code is in [src/strategies](../../src/strategies/README.md).',
    ...sections,
  ].join('\n\n')}\n`;
}

function row({ metadata, useWhen }: Facts, names: readonly string[]): string {
  const { name, title, safe, breaksUnder } = metadata;
  const cells = [
    `[\`${name}\`](${name}.md)`,
    title,
    PROMISES[safe],
    lossesOf(metadata),
    breaksUnder.join(', ') || 'none of the faults',
    serversOf(metadata),
    linked(useWhen, names),
  ];
  return `| ${cells.join(' | ')} |`;
}
