import { linksOf, readText, shellCommands } from '../support/markdown.js';

const english = readText('README.md');
const chinese = readText('README.zh-CN.md');

test('the README has fewer than 150 lines', () => {
  expect(english.split('\n').length).toBeLessThan(150);
});

describe('README.zh-CN.md says what README.md says', () => {
  test('each links to the other at the top', () => {
    expect(english.split('\n').slice(0, 4).join()).toContain('(README.zh-CN.md)');
    expect(chinese.split('\n').slice(0, 4).join()).toContain('(README.md)');
  });

  test('the same commands', () => {
    expect(shellCommands(chinese)).toEqual(shellCommands(english));
  });

  test('the same links and pictures, in the same order', () => {
    const others = (markdown: string) => linksOf(markdown).filter((link) => !/^README.*\.md$/.test(link));
    expect(others(chinese)).toEqual(others(english));
  });

  test.each([
    ['headings', /^#+ /gm],
    ['list items', /^(?:-|\d+\.) /gm],
    ['table rows', /^\| *\[?`?[\w-]*/gm],
    ['names in code', /`[^`\n]+`/g],
  ])('the same %s', (_, pattern) => {
    const count = (markdown: string) => markdown.match(pattern)?.length;
    expect(count(chinese)).toBe(count(english));
  });

  test('the same strategies in the table', () => {
    const strategies = (markdown: string) => markdown.match(/^\| \[`[\w-]+`\]/gm);
    expect(strategies(chinese)).toEqual(strategies(english));
    expect(strategies(english)).toHaveLength(8);
  });
});
