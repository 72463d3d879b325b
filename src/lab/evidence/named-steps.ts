import { type Step } from '../../contract/evidence.js';
import { answerText } from './answer-text.js';
import { withValues } from './command-text.js';
import { type CommandExchange, type NamedValues } from './named-values.js';
import { ReplacedServers } from './no-effect.js';
import { type Told } from './replies.js';
import { type StableText } from './stable-text.js';
import { type Happened, StoryState } from './story-state.js';
import { type RecordedCommand } from './trace.js';

/** The steps with what is stored after each of them. */
export function stableSteps(all: readonly Told[], text: StableText, values: NamedValues): Step[] {
  let state: StoryState | undefined;
  const replaced = new ReplacedServers();
  return all.flatMap((told) => {
    replaced.see(told.step);
    if (told.stock !== undefined) state = new StoryState(told.stock);
    const { told: said, ...exchange } = happenedIn(told);
    const happened = { ...exchange, told: replaced.answer(told.step, said) };
    const expired = state?.expiredBy(happened);
    const before = expired === undefined ? [] : [leaseEnds(expired)];
    if (expired !== undefined) state?.expire(expired);
    state?.take(happened);
    const after = state?.changed;
    const step = stableStep(told, text, values);
    const answer = step.answer && replaced.answer(told.step, step.answer);
    return [...before, { ...step, ...(answer && { answer }), ...(after && { after }) }];
  });
}

function happenedIn({ by, step, command, answer }: Told): Happened {
  const executed = command && {
    server: command.server,
    command: withValues(command.text, command.values),
    ...(answer && { answer }),
  };
  return {
    buyer: buyerOf(by),
    step,
    told: command && answer ? answerText(command, answer) : '',
    ...executed,
  };
}

/** The holder did not release the lock, and another buyer has it. */
function leaseEnds(holder: string): Step {
  return { actor: 'lab', kind: 'time', text: `the lease of ${holder} expires` };
}

export function stableStep(
  { by, step, command, answer }: Told,
  stableText: StableText,
  values: NamedValues,
): Step {
  const { actor, to, kind, text, source } = step;
  const told =
    answer && command && stableText.of(values.senderNamed(answerText(command, answer, values.render)));
  return {
    actor: stableText.of(actor),
    ...(to !== undefined && { to: stableText.of(to) }),
    kind,
    text: command
      ? stableText.ofCommand(`${buyerOf(by)}: ${commandText(command, values)}`)
      : stableText.of(text),
    ...(told !== undefined && { answer: told }),
    ...(source && { source }),
  };
}

/** A server that does not know a script is sent its text: for the reader it is the same call. */
function commandText({ text, values: parameters }: RecordedCommand, values: NamedValues): string {
  return withValues(text, parameters, values.render).replace(/^EVAL /, 'EVALSHA ');
}

export function exchangesIn(told: readonly Told[]): CommandExchange[] {
  return told.flatMap(({ by, command, answer }) =>
    command ? [{ buyer: buyerOf(by).replaceAll(' ', '-'), command, ...(answer && { answer }) }] : [],
  );
}

/** "A again 2" is the second buyer of an experiment, and its name is "A again". */
function buyerOf(by: string): string {
  return by.replace(/ (?:other-)?\d+$/, '');
}
