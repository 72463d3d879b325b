import type { Actor, Step } from '../contract/evidence.js';
import { lettersOf, wordsOf } from './words.js';

/** A step and its coordinates. */
export interface Drawn {
  readonly step: Pick<Step, 'kind' | 'text'>;
  readonly y: number;
  readonly from: number;
  /** The other end of its arrow; undefined for a step without a receiver. */
  readonly to: number | undefined;
  readonly label: { readonly text: string; readonly x: number; readonly anchor: 'start' | 'middle' | 'end' };
}

export interface Lifeline {
  readonly actor: Participant;
  readonly x: number;
  /** Baseline of its name in the head: two rows where long names would overlap. */
  readonly nameY: number;
}

export interface Layout {
  /** More than the available width where the names would overlap. */
  readonly width: number;
  readonly height: number;
  readonly columns: readonly Lifeline[];
  readonly rows: readonly Drawn[];
}

/** Heights of the head with the names, and of one step. */
export const HEAD = 56;
export const ROW = 44;
/** Width of the column of step numbers. */
const GUTTER = 34;
const LETTER = 7.2;
const EDGE = 6;
const BOLD = 1.15;

export type Participant = Pick<Actor, 'id' | 'label' | 'kind'>;
export type DrawnStep = Pick<Step, 'actor' | 'kind' | 'text' | 'answer'> & { readonly to?: string };

/** A column per participant, a row per step. In pixels: the text must not scale with the drawing. */
export function layOut(
  actors: readonly Participant[],
  steps: readonly DrawnStep[],
  available: number,
): Layout {
  const longest = Math.max(0, ...actors.map(({ label }) => lettersOf(label) * LETTER * BOLD));
  const lanes = Math.max(actors.length, 1);
  // Half of the last name is to the right of its line.
  const beyond = longest / 2 + EDGE;
  const even = Math.min((available - GUTTER) / lanes, (available - GUTTER - beyond) / (lanes - 0.5));
  const room = Math.max(even, longest / 2);
  const width = Math.max(available, GUTTER + room * (lanes - 0.5) + Math.max(room / 2, beyond));
  const crowded = longest > room;
  const columns = fromLeftToRight(actors).map((actor, index) => ({
    actor,
    x: GUTTER + room * (index + 0.5),
    nameY: crowded && index % 2 === 1 ? HEAD - 40 : HEAD - 20,
  }));
  const place = new Map(columns.map(({ actor, x }) => [actor.id, x]));
  const rows = steps.map((step, index) => {
    const y = ROW * (index + 0.75);
    const from = place.get(step.actor) ?? GUTTER;
    const to = step.to === undefined || step.to === step.actor ? undefined : place.get(step.to);
    return { step, y, from, to, label: labelOf(step, from, to, width) };
  });
  return { width, height: ROW * steps.length + 12, columns, rows };
}

/** Clients at the left, servers at the right. */
const PLACES: readonly Actor['kind'][] = [
  ...(['lab', 'client', 'instance'] as const),
  ...(['redis', 'etcd', 'zookeeper', 'mysql', 'other'] as const),
];

/** The number of a Redlock master; 0 for every other participant, which keeps its place. */
const masterOf = ({ id }: Pick<Actor, 'id'>) => Number(/^redlock-(\d+)$/.exec(id)?.[1] ?? 0);

function fromLeftToRight<A extends Pick<Actor, 'id' | 'kind'>>(actors: readonly A[]): A[] {
  return [...actors].sort(
    (a, b) => PLACES.indexOf(a.kind) - PLACES.indexOf(b.kind) || masterOf(a) - masterOf(b),
  );
}

/** Each step has its own row, so its text may take the whole width. It stays as close to the arrow as it can. */
function labelOf(step: DrawnStep, from: number, to: number | undefined, width: number): Drawn['label'] {
  // The current step is bold.
  const letter = LETTER * BOLD;
  const fits = Math.floor((width - GUTTER - 2 * EDGE) / letter);
  const shown = wordsOf(step, fits);
  const half = (lettersOf(shown) * letter) / 2;
  const middle = to === undefined ? from : (from + to) / 2;
  if (middle - half < GUTTER + EDGE) return { text: shown, x: GUTTER + EDGE, anchor: 'start' };
  if (middle + half > width - EDGE) return { text: shown, x: width - EDGE, anchor: 'end' };
  return { text: shown, x: middle, anchor: 'middle' };
}
