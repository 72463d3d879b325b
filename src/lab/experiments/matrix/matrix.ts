import { type StrategyListing } from '../../../strategies/registry.js';
import { type Evidence } from '../evidence.js';
import { type Letter, letterOf } from '../letters.js';
import { COLUMNS } from './columns.js';
import { cell, type Scenario } from './scenario.js';

export type Cell =
  | { readonly verdict: Letter; readonly experiment: string; readonly ok: boolean }
  | { readonly notApplicable: string }
  | { readonly notRun: string };

export interface Matrix {
  readonly faults: readonly { readonly id: string; readonly title: string }[];
  readonly rows: readonly {
    readonly strategy: string;
    readonly title: string;
    readonly family: string;
    readonly cells: Readonly<Record<string, Cell>>;
  }[];
}

/** The matrix says what was seen. A cell without evidence says that it has none. */
export function matrixOf(
  strategies: readonly StrategyListing[],
  evidence: ReadonlyMap<string, Evidence>,
): Matrix {
  return {
    faults: COLUMNS.map(({ fault, title }) => ({ id: fault, title })),
    rows: strategies.map((strategy) => ({
      strategy: strategy.name,
      title: strategy.title,
      family: strategy.family,
      cells: Object.fromEntries(COLUMNS.map((column) => [column.fault, cellOf(column, strategy, evidence)])),
    })),
  };
}

function cellOf(column: Scenario, strategy: StrategyListing, evidence: ReadonlyMap<string, Evidence>): Cell {
  const applies = column.appliesTo(strategy);
  if (applies !== true) return { notApplicable: applies };
  const { id, missing } = cell(column, strategy);
  const found = evidence.get(id);
  if (found) return { verdict: letterOf(found.verdict), experiment: id, ok: found.ok };
  return { notRun: missing?.() ?? 'It has not been run yet.' };
}
