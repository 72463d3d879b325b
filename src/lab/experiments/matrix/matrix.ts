import { type Evidence } from '../../../contract/evidence.js';
import { type Cell, letterOf, type Matrix } from '../../../contract/matrix.js';
import { type StrategyListing } from '../../../contract/strategy.js';
import { COLUMNS } from './columns.js';
import { cell, cellName, type Scenario } from './scenario.js';

/** The matrix of all evidence. A cell without evidence says why it has none. */
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

/** Only the rows and columns that contain one of these cells. */
export function partOf({ faults, rows }: Matrix, cells: readonly string[]): Matrix {
  const wanted = new Set(cells);
  const named = (strategy: string, fault: string) => wanted.has(cellName(fault, strategy));
  return {
    faults: faults.filter(({ id }) => rows.some(({ strategy }) => named(strategy, id))),
    rows: rows.filter(({ strategy }) => faults.some(({ id }) => named(strategy, id))),
  };
}

/** Why faults do not apply, and to which strategies. */
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
