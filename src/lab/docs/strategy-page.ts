import { FAULTS } from '../../contract/fault.js';
import { type Measurement } from './comparison.js';
import { type Facts, type LuaScript } from './facts.js';
import { FAMILY_TITLES, guaranteeOf, linked, lossesOf, PROMISES, serversOf } from './words.js';

/** From docs/strategies/ to the project's folder. */
const UP = '../..';

/** The page of one strategy. */
export function strategyPage(
  facts: Facts,
  measurements: readonly Measurement[],
  names: readonly string[],
): string {
  const { metadata, source, idea, transcript } = facts;
  return `${[
    '<!-- Written by `npm run docs` from the strategy’s own file, its transcript and the last report. -->',
    `# \`${metadata.name}\`: ${metadata.title}`,
    `> ${metadata.teaches}`,
    [
      '| | |',
      '| --- | --- |',
      `| family | ${FAMILY_TITLES[metadata.family]}, lesson ${metadata.lesson} |`,
      `| never oversells | ${PROMISES[metadata.safe]} |`,
      `| loses nothing acknowledged | ${lossesOf(metadata)} |`,
      `| stock counted in | ${metadata.stock === 'redis' ? 'Redis, as a copy of the stock in MySQL' : 'MySQL'} |`,
      `| needs | ${serversOf(metadata)} |`,
      `| baskets | ${facts.baskets ? 'yes' : 'no'} |`,
      `| code | [${source}](${UP}/${source}) |`,
    ].join('\n'),
    '## Idea',
    idea,
    ...(transcript ? ['## What one sale sends', sent(transcript)] : []),
    ...facts.procedures.flatMap(({ path, text }) => [
      '## The procedure',
      `[${path}](${UP}/${path}):\n\n${block('sql', text)}`,
    ]),
    ...luaSection(facts.scripts),
    '## Guarantees',
    guaranteeOf(metadata),
    '## Breaks under',
    breaksUnder(facts),
    ...experimentsSection(facts),
    '## When to use it',
    linked(facts.useWhen, names),
    '## Cost',
    linked(facts.costs, names),
    ...measured(measurements),
    '[All strategies](README.md)',
  ].join('\n\n')}\n`;
}

function sent({ path, text }: NonNullable<Facts['transcript']>): string {
  const lines = text.split('\n');
  // The first lines name the source of the transcript; the link on the page replaces them.
  const body = lines
    .slice(lines.indexOf('') + 1)
    .join('\n')
    .trimEnd();
  return `A sale of two units from a stock of 99, recorded from the servers into [${path}](${UP}/${path}).\n\n${block('sql', body)}`;
}

function luaSection(scripts: readonly LuaScript[]): string[] {
  if (scripts.length === 0) return [];
  const shown = scripts.map(({ path, text, own }) => {
    const link = `[${path}](${UP}/${path})`;
    if (own) return `${link}:\n\n${block('lua', text)}`;
    return `<details>\n<summary>from the lock library: <code>${path}</code></summary>\n\n${link}\n\n${block('lua', text)}\n\n</details>`;
  });
  return ['## Lua', ...shown];
}

function breaksUnder({ metadata }: Facts): string {
  if (metadata.breaksUnder.length === 0) return 'None of the faults in the matrix.';
  return metadata.breaksUnder.map((fault) => `- **${fault}**: ${FAULTS.get(fault) ?? ''}`).join('\n');
}

function experimentsSection({ metadata, experiments }: Facts): string[] {
  if (experiments.length === 0) return [];
  return [
    '## Experiments',
    `\`npx lockstock experiments ${metadata.name}\` runs all of them on real servers; a name from the table runs one.`,
    [
      '| experiment | what happens | expected |',
      '| --- | --- | --- |',
      ...experiments.map(({ id, title, expected }) => {
        // Many titles end with the strategy's own title or name, which is redundant here.
        const steps = [metadata.title, metadata.name].reduce(
          (text, end) => text.replace(`: ${end}`, ''),
          title,
        );
        return `| \`${id}\` | ${steps} | ${expected} |`;
      }),
    ].join('\n'),
  ];
}

function measured(measurements: readonly Measurement[]): string[] {
  if (measurements.length === 0) return [];
  return [
    [
      '| instances | verdict | sold per second, `sql-atomic` = 1 | a no-op POST = 1 | p50 ms | p95 ms | p99 ms | attempts per sale |',
      '| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
      ...measurements.map(
        (one) =>
          `| ${one.instances} | ${one.verdict} | ${ratio(one.toSqlAtomic)} | ${ratio(one.toNoop)} | ${ms(one.p50)} | ${ms(one.p95)} | ${ms(one.p99)} | ${one.attempts?.toFixed(1) ?? ''} |`,
      ),
    ].join('\n'),
    'From [the committed comparison](../reports/compare.json). All numbers are from one machine under one load: compare them with each other, not with numbers from your machine.',
  ];
}

function ratio(value: number | undefined): string {
  return value?.toFixed(2) ?? '';
}

function ms(value: number | undefined): string {
  if (value === undefined) return '';
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}
