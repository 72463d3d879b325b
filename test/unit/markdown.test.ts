import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';
import { linksOf, markdownFiles, readText } from '../support/markdown.js';

test('every link between files of the project leads to a file', () => {
  const broken = markdownFiles().flatMap((file) =>
    linksOf(readText(file))
      .filter((link) => !/^(https?:|#)/.test(link))
      .map((link) => decodeURI(link.replace(/#.*$/, '')))
      .filter((link) => !existsSync(join(ROOT, dirname(file), link)))
      .map((link) => `${file}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('links in code are no links, and pictures are', () => {
  const text = '[a](b.md) `[no](c.md)`\n```sh\n[no](d.md)\n```\n![e](f.png) <img src="g.svg" />';
  expect(linksOf(text)).toEqual(['b.md', 'f.png', 'g.svg']);
});

describe('decisions', () => {
  const decisions = markdownFiles('docs/adr').filter((file) => !file.endsWith('README.md'));
  const index = readText('docs/adr/README.md');

  test.each(decisions)('%s has a title with its number, status, context, decision and cost', (file) => {
    const text = readText(file);
    const number = /\/(\d{4})-/.exec(file)?.[1] ?? 'no number';
    expect(text).toMatch(new RegExp(`^# ${number} \\w`));
    const parts = [...text.matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, name]) => name);
    expect(parts.slice(0, 4)).toEqual(['Status', 'Context', 'Decision', 'Cost']);
  });

  test('the index has each of them with its title', () => {
    const rows = decisions.map((file) => {
      const [, number, title] = /^# (\d{4}) (.+)$/m.exec(readText(file)) ?? [];
      return { row: `[${number}](${file.replace('docs/adr/', '')})`, title: title ?? '' };
    });
    const missing = rows.filter(({ row, title }) => !index.includes(row) || !index.includes(`| ${title} `));
    expect(missing).toEqual([]);
  });

  test('the index explains every number that is not in use', () => {
    const numbers = decisions.map((file) => Number(/\/(\d{4})-/.exec(file)?.[1]));
    const all = Array.from({ length: Math.max(...numbers) }, (_, i) => i + 1);
    const gaps = all.filter((number) => !numbers.includes(number));
    const unexplained = gaps.filter((number) => !index.includes(`- ${String(number).padStart(4, '0')} `));
    expect(unexplained).toEqual([]);
  });
});
