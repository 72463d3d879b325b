import { type Cell, letterOf, type Matrix } from '../../../contract/matrix.js';
import { type StrategyListing } from '../../../contract/strategy.js';
import { type Evidence } from '../../evidence/evidence.js';
import { COLUMNS } from './columns.js';
import { cell, cellName, type Scenario } from './scenario.js';

export type { Cell, Matrix } from '../../../contract/matrix.js';

/** The matrix says what was seen. A cell without evidence says that it has none. */
export function matrixOf(
  strategies: readonly StrategyListing[],
  evidence: ReadonlyMap<string, Evidence>,
): Matrix {
  return {
    faults: COLUMNS.map(({ fault, title, label }) => ({ id: fault, title, label })),
    rows: strategies.map((strategy) => ({
      strategy: strategy.name,
      title: strategy.title,
      family: strategy.family,
      cells: Object.fromEntries(COLUMNS.map((column) => [column.fault, cellOf(column, strategy, evidence)])),
    })),
  };
}

/** The rows and columns that have one of these cells. */
export function partOf({ faults, rows }: Matrix, cells: readonly string[]): Matrix {
  const wanted = new Set(cells);
  const named = (strategy: string, fault: string) => wanted.has(cellName(fault, strategy));
  return {
    faults: faults.filter(({ id }) => rows.some(({ strategy }) => named(strategy, id))),
    rows: rows.filter(({ strategy }) => faults.some(({ id }) => named(strategy, id))),
  };
}

/** What the dashes mean, and for whom. */
export function whyNot({ rows }: Matrix): string[] {
  const reasons = new Map<string, Set<string>>();
  for (const { strategy, cells } of rows) {
    for (const cell of Object.values(cells)) {
      if (!('notApplicable' in cell)) continue;
      const unreached = reasons.get(cell.notApplicable) ?? new Set();
      reasons.set(cell.notApplicable, unreached.add(strategy));
    }
  }
  return [...reasons].map(([reason, unreached]) => `${reason} (${[...unreached].join(', ')})`);
}

function cellOf(column: Scenario, strategy: StrategyListing, evidence: ReadonlyMap<string, Evidence>): Cell {
  const applies = column.appliesTo(strategy);
  if (applies !== true) return { notApplicable: applies };
  const { id, missing } = cell(column, strategy);
  const found = evidence.get(id);
  if (found) return { verdict: letterOf(found.verdict), experiment: id, ok: found.ok };
  return { notRun: missing?.() ?? 'It has not been run yet.' };
}
