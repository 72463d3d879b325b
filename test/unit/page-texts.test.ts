import { en } from '../../web/texts/en.js';
import { zh } from '../../web/texts/zh.js';
import { strategyNames } from '../support/strategy-files.js';

type Text = string | ((...values: never[]) => string);

/** Every text of a language by its path. Empty tables have no texts: their language uses those of the server. */
function textsOf(part: object, path = ''): [string, Text][] {
  return Object.entries(part).flatMap(([name, value]: [string, unknown]): [string, Text][] => {
    if (typeof value === 'string' || typeof value === 'function') return [[`${path}${name}`, value as Text]];
    return textsOf(value as object, `${path}${name}.`);
  });
}

const TRANSLATED_ONLY = /^(strategyTexts|matrixFaults)\./;
const english = new Map(textsOf(en));
const chinese = new Map(textsOf(zh));

test('both languages have the same texts', () => {
  const ours = [...chinese.keys()].filter((path) => !TRANSLATED_ONLY.test(path));
  expect(ours.sort()).toEqual([...english.keys()].sort());
});

test('every strategy has its Chinese texts, and nothing else has', () => {
  expect(Object.keys(zh.strategyTexts).sort()).toEqual(strategyNames());
});

/** The numbers that a text shows when it is given these values. */
function numbersIn(text: Text, values: readonly unknown[]): string[] {
  const said = typeof text === 'string' ? text : call(text, values);
  return [...new Set(said.replace(/(?<=\d),(?=\d)/g, '').match(/\d+/g))].sort();
}

function call(text: (...values: never[]) => string, values: readonly unknown[]): string {
  try {
    return text(...(values as never[]));
  } catch {
    // It joins a list.
    return text(...(values.map((value) => [value]) as never[]));
  }
}

/** In both orders, because some texts depend on which number is larger. Dates are written as each language does. */
const VALUES = [
  [4001, 4002, 4003, 4004],
  [4004, 4003, 4002, 4001],
];

test.each([...english].filter(([path, text]) => typeof text === 'function' && !/(^|\.)date$/.test(path)))(
  '%s shows the same values in both languages',
  (path, text) => {
    for (const values of VALUES) {
      expect(numbersIn(chinese.get(path) ?? '', values)).toEqual(numbersIn(text, values));
    }
  },
);

test('backticks come in pairs', () => {
  const odd = [...english, ...chinese].filter(
    ([, text]) => typeof text === 'string' && text.split('`').length % 2 === 0,
  );
  expect(odd).toEqual([]);
});

test.each([
  ['English', en],
  ['Chinese', zh],
])('in %s a bounded exploration is not told as a complete one', (_, { explorations }) => {
  const whole = { run: 28, cut: 0, all: '28', complete: true };
  const bounded = { ...whole, preemptions: 7 };
  const cut = { run: 28, cut: 0, complete: false };
  expect(explorations.covered(bounded)).toContain('7');
  expect(explorations.covered({ ...cut, preemptions: 7 })).toContain('7');
  expect(explorations.covered(whole)).not.toContain('7');
  expect(new Set([whole, bounded, cut].map(explorations.safe)).size).toBe(3);
});
