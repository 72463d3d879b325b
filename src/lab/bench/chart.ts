import { escape } from '../../diagram/svg.js';
import { whole } from '../report/numbers.js';
import { type Point, type TableReport } from './report.js';
import { summary } from './statistics.js';

const WIDTH = 760;
const LEFT = 70;
const PLOT_WIDTH = 480;
const TOP = 50;
const PLOT_HEIGHT = 260;
const BAR = 20;
const NAME_WIDTH = 210;
const BAR_WIDTH = 420;
const COLOURS = ['#1f6feb', '#cf222e', '#1a7f37', '#9a6700', '#8250df', '#0a7f8c', '#bf3989', '#57606a'];
const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#1c2333}.t{font-size:15px;font-weight:600}.q{fill:#57606a}.e{text-anchor:end}.m{text-anchor:middle}.g{stroke:#d0d7de}';

/** The table as an SVG file: lines where it is a curve, otherwise bars. Ticks show the least and the largest round. */
export function chart(table: TableReport): string {
  return table.axis === undefined ? bars(table) : lines(table, table.axis);
}

function bars({ title, unit, points }: TableReport): string {
  const most = Math.max(...points.map(({ rounds }) => summary(rounds).most), Number.MIN_VALUE);
  const at = (value: number) => NAME_WIDTH + (BAR_WIDTH * value) / most;
  const rows = points.flatMap(({ name, rounds }, index) => {
    const y = TOP + index * BAR;
    const { median, least, most: top } = summary(rounds);
    return [
      `<text x="${NAME_WIDTH - 8}" y="${y + 13}" class="e">${escape(name)}</text>`,
      `<rect x="${NAME_WIDTH}" y="${y + 3}" width="${short(at(median) - NAME_WIDTH)}" height="${BAR - 7}" fill="${COLOURS[0] ?? ''}"/>`,
      `<path d="M${short(at(least))} ${y + 9.5}H${short(at(top))}" stroke="#0b2f63" stroke-width="2"/>`,
      `<text x="${short(at(top) + 8)}" y="${y + 13}">${whole(median)}</text>`,
    ];
  });
  return document(`${title}, ${unit}`, TOP + points.length * BAR + 16, rows);
}

function lines({ title, unit, points }: TableReport, axis: string): string {
  const xs = [...new Set(points.map(({ x = 0 }) => x))].sort((a, b) => a - b);
  const names = [...new Set(points.map(({ name }) => name))];
  const most = niceAbove(Math.max(...points.map(({ rounds }) => summary(rounds).most), Number.MIN_VALUE));
  const xOf = (x: number) => LEFT + (PLOT_WIDTH * xs.indexOf(x)) / Math.max(1, xs.length - 1);
  const yOf = (value: number) => TOP + PLOT_HEIGHT * (1 - value / most);
  const grid = [0, 1, 2, 3, 4].flatMap((quarter) => {
    const value = (most * quarter) / 4;
    const y = short(yOf(value));
    return [
      `<path d="M${LEFT} ${y}H${LEFT + PLOT_WIDTH}" class="g"/>`,
      `<text x="${LEFT - 8}" y="${short(yOf(value) + 4)}" class="e q">${whole(value)}</text>`,
    ];
  });
  const labelled = xs.filter((_, index) => (xs.length - 1 - index) % Math.ceil(xs.length / 12) === 0);
  const ticks = labelled.map(
    (x) =>
      `<text x="${short(xOf(x))}" y="${TOP + PLOT_HEIGHT + 18}" class="m q">${Number.isInteger(x) ? whole(x) : x.toFixed(1)}</text>`,
  );
  const curves = names.flatMap((name, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? '';
    const own = points.filter((point) => point.name === name).sort((a, b) => (a.x ?? 0) - (b.x ?? 0));
    return [...curve(own, colour, xOf, yOf), ...legendEntry(name, colour, index)];
  });
  const foot = TOP + PLOT_HEIGHT + 38;
  const axisTitle = `<text x="${LEFT + PLOT_WIDTH / 2}" y="${foot}" class="m">${escape(axis)}</text>`;
  const height = Math.max(foot + 14, TOP + names.length * 20 + 20);
  return document(`${title}, ${unit}`, height, [...grid, ...ticks, axisTitle, ...curves]);
}

function curve(
  points: readonly Point[],
  colour: string,
  xOf: (x: number) => number,
  yOf: (value: number) => number,
): string[] {
  const places = points.map(({ x = 0, rounds }) => ({ x: xOf(x), ...summary(rounds) }));
  const path = places.map(({ x, median }) => `${short(x)} ${short(yOf(median))}`).join('L');
  return [
    `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...places.map(
      ({ x, median, least, most }) =>
        `<path d="M${short(x)} ${short(yOf(least))}V${short(yOf(most))}" stroke="${colour}"/>` +
        `<circle cx="${short(x)}" cy="${short(yOf(median))}" r="3" fill="${colour}"/>`,
    ),
  ];
}

function legendEntry(name: string, colour: string, index: number): string[] {
  const y = TOP + 8 + index * 20;
  const x = LEFT + PLOT_WIDTH + 20;
  return [
    `<rect x="${x}" y="${y - 9}" width="11" height="11" fill="${colour}"/>`,
    `<text x="${x + 18}" y="${y + 1}">${escape(name)}</text>`,
  ];
}

function document(title: string, height: number, content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escape(title)}">`,
    `<style>${STYLE}</style>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="16" y="26" class="t">${escape(title)}</text>`,
    ...content,
    '</svg>',
    '',
  ].join('\n');
}

/** The next of 1, 2, 4, 8 times a power of ten: a quarter of it is a number that people read easily. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 8].find((step) => step * power >= value) ?? 10) * power;
}

/** Tenths of a pixel are enough. */
function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}
