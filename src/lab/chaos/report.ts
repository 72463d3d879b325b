import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { terminal } from '../terminal.js';
import { type ChaosEvidence } from './evidence.js';
import { type ClientAnswer, type Call, type Operation, receiptsOf } from './history.js';
import { type Violation, PROMISES } from './judge/violation.js';
import { type Plan, sizeOf } from './plan/plan.js';

/** A plan that broke a promise, with the evidence. */
export interface ChaosFinding {
  readonly violation: Violation;
  readonly plan: Plan;
  readonly evidence: ChaosEvidence;
  /** The plan before it was shrunk. */
  readonly original: Plan;
  /** How many trials the shrinking took. */
  readonly plays: number;
}

const SHOWN_CALLS = 30;

/** The finding in words: the promise, what happened, the calls, and the shortest history that shows it. */
export function describeFinding({ violation, plan, evidence, original, plays }: ChaosFinding): string {
  const about = evidence.calls.filter((call) => isAbout(call, violation));
  const shown = about.slice(0, SHOWN_CALLS).map((call) => `    ${describeCall(call)}`);
  const { faults } = evidence;
  return [
    terminal.red(`✘ ${violation.promise}: ${PROMISES[violation.promise]}`),
    `  ${violation.sentence}`,
    ...violation.calls.slice(0, 6).map((call) => `    ${describeCall(call)}`),
    `  seed ${plan.seed}; shrunk from ${sizeOf(original)} requests to ${sizeOf(plan)} in ${plays} trials. The calls of the violation:`,
    ...shown,
    ...(about.length > shown.length ? [`    … and ${about.length - shown.length} more`] : []),
    ...faults.map(({ start, what }) => `    ${start.toFixed(0)} ms: ${what}`),
  ].join('\n');
}

function isAbout({ operation }: Call, { goodsId }: Violation): boolean {
  if (goodsId === undefined || operation.do === 'cancel') return true;
  if ('items' in operation) return operation.items.some((item) => item.goodsId === goodsId);
  return 'goodsId' in operation && operation.goodsId === goodsId;
}

export function describeCall(call: Call): string {
  const times = `${call.start.toFixed(0)}–${call.end.toFixed(0)} ms`;
  return `#${call.n} client ${call.client}, ${times}: ${describeOperation(call.operation)} → ${describeAnswer(call)}`;
}

function describeOperation(operation: Operation): string {
  if ('items' in operation) {
    const items = operation.items
      .map(({ goodsId, quantity }) => `${quantity} of goods ${goodsId}`)
      .join(' and ');
    const key = operation.key === undefined ? '' : `, key ${operation.key}`;
    return `${operation.do} ${items} by ${operation.strategy}${key}`;
  }
  if (operation.do === 'cancel')
    return `cancel order ${operation.orderId}${operation.forged ? ' with a wrong token' : ''}`;
  if (operation.do === 'reset') return `reset goods ${operation.goodsId} to ${operation.inventory}`;
  if (operation.do === 'malformed') return `malformed request (${operation.kind})`;
  return 'goodsId' in operation ? `${operation.do} goods ${operation.goodsId}` : operation.do;
}

function describeAnswer(call: Call): string {
  const { answer } = call;
  if (!answer) return 'no answer';
  const receipts = receiptsOf(call).map(({ orderId, remaining }) => `order ${orderId}, ${remaining} left`);
  const details = [answer.type, ...receipts, answer.replayed ? 'replayed' : undefined, ...numbersOf(answer)];
  return [answer.status, ...details.filter((detail) => detail !== undefined)].join(' ');
}

function numbersOf({ body }: ClientAnswer): string[] {
  const { inventory, verdict, returned } = (body ?? {}) as Record<string, unknown>;
  return [
    ...(typeof inventory === 'number' ? [`${inventory} in stock`] : []),
    ...(typeof verdict === 'string' ? [verdict] : []),
    ...(typeof returned === 'boolean' ? [returned ? 'returned' : 'had been returned before'] : []),
  ];
}

/** Writes the finding to a file for `--replay`; returns the path. */
export function saveFinding(folder: string, finding: ChaosFinding): string {
  mkdirSync(folder, { recursive: true });
  const { violation, plan, evidence } = finding;
  const path = join(folder, `seed-${plan.seed}-${violation.promise}.json`);
  writeFileSync(path, `${JSON.stringify({ plan, violation, evidence }, null, 1)}\n`);
  return path;
}
