import { terminal } from '../terminal.js';
import { findingOf, type ScheduleOutcome } from './outcome.js';
import { type Played, type PlayedStep } from './replay.js';
import { answerOf, commandOf, Names } from './step-texts.js';

/** A schedule, one line a step: the buyer, the server, the command with its values and answer, and the state after it. */
export function tell({ steps, outcome }: Played): string {
  const names = new Names();
  const lines = steps.map((step, index) => tellStep(step, index, names));
  return [...lines.flat(), tellOutcome(outcome)].join('\n');
}

export function tellOutcome(outcome: ScheduleOutcome): string {
  const told = Object.entries(outcome.told).map(([buyer, what]) => `${buyer}: ${what}`);
  return `  ${findingOf(outcome)}: ${outcome.sold} sold of ${outcome.initial}, ${outcome.remaining} left (${told.join(', ')})`;
}

export function tellStep(step: PlayedStep, index: number, names: Names): string[] {
  const { actor, server, text, alsoAnswered, after, source, rests } = step;
  const number = `${index + 1}`.padStart(4);
  const state = terminal.dim(`[${stateOf(after)}]`);
  const where = source
    ? terminal.dim(`  ${source.file}${source.symbol === undefined ? '' : ` ${source.symbol}`}`)
    : '';
  if (server === undefined) return [`${number}  ${terminal.bold('time')}  ${names.of(text)}  ${state}`];
  const answered = 'returned' in step || step.error !== undefined;
  const answer = answered ? names.of(answerOf(step)) : rests[actor] === 'blocked' ? '… waits' : '…';
  const command = names.of(commandOf(step));
  // The answer to the client has no answer itself.
  const said = server === 'client' && step.error === undefined ? command : `${command} → ${answer}`;
  const own = `${number}  ${terminal.bold(actor)}  ${server.padEnd(5)}  ${said}  ${state}${where}`;
  const others = alsoAnswered.map(
    (other) =>
      `      ${terminal.bold(other.actor)}  goes on: ${names.of(commandOf({ text: other.text, values: other.values }))} → ${names.of(answerOf(other))}`,
  );
  return [own, ...others];
}

export function stateOf({ inventory, orders, redisStock, locks }: PlayedStep['after']): string {
  const held = [...new Set(locks.map(({ owner }) => owner))];
  return [
    `stock ${inventory}`,
    ...(redisStock === undefined ? [] : [`Redis ${redisStock}`]),
    `${orders} sold`,
    ...held.map((owner) => `lock: ${owner}`),
  ].join(', ');
}
