import { type CheckpointSource, type Returned } from '../../checkpoints/checkpoint-protocol.js';
import { UsageError } from '../errors.js';
import { type ExploredBed, type StockState } from './explored-bed.js';
import { type Choice } from './model.js';
import { type ScheduleOutcome } from './outcome.js';
import { switchesOf } from './partial-order.js';
import { type RealSystem } from './real-system.js';
import { scheduleOf, tokenOf, steps as stepsIn } from './schedule.js';
import { type Rest } from './settling.js';

/** A schedule has a step that is not possible at its place. */
export class NotPlayable extends UsageError {}

/** One step of a schedule, and the state after it. */
export interface PlayedStep {
  /** A buyer, or `time`. */
  readonly actor: string;
  readonly server?: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Absent while the command waits in the server, and for a fault. */
  readonly returned?: unknown;
  readonly error?: string;
  readonly source?: CheckpointSource;
  /** Commands of other steps that were answered by this one. */
  readonly alsoAnswered: readonly Pick<PlayedStep, 'actor' | 'text' | 'values' | 'returned' | 'error'>[];
  /** What each buyer does after it. */
  readonly rests: Readonly<Record<string, Rest>>;
  readonly after: StockState;
}

export interface Played {
  /** Repeats the run with `--schedule`. */
  readonly schedule: string;
  readonly switches: number;
  readonly steps: readonly PlayedStep[];
  readonly outcome: ScheduleOutcome;
}

/** Plays a schedule slowly, and records every step. Past its end, each buyer goes on without a switch. */
export async function play(
  system: RealSystem,
  bed: ExploredBed,
  schedule: string | readonly string[],
): Promise<Played> {
  const wanted = typeof schedule === 'string' ? stepsIn(schedule) : [...schedule];
  const taken: Choice[] = [];
  const tokens: string[] = [];
  const after: StockState[] = [];
  system.withSource = true;
  try {
    await system.restart();
    for (let choices = system.choices(); choices.length > 0; choices = system.choices()) {
      const choice = next(wanted, choices, taken.at(-1));
      tokens.push(tokenOf(choice, choices));
      taken.push(choice);
      await system.take(choice);
      after.push(await bed.state(system.owners()));
    }
    const outcome = await system.outcome();
    const steps = system.steps.map((step, index) =>
      playedStep(system, step, index, after[index] as StockState),
    );
    return { schedule: scheduleOf(tokens), switches: switchesOf(taken), steps, outcome };
  } finally {
    system.withSource = false;
  }
}

function next(wanted: string[], choices: readonly Choice[], last: Choice | undefined): Choice {
  const token = wanted.shift();
  if (token !== undefined) {
    const found =
      choices.find(({ id }) => id === token) ??
      choices.find(({ actor, fault }) => actor === token && !fault) ??
      choices.find(({ id, fault }) => fault && id.startsWith(`${token} `));
    if (found) return found;
    const there = choices.map(({ id }) => id).join(', ');
    throw new NotPlayable(
      `The schedule asks for ${token}, which cannot go on at that point; ${there} can. A schedule belongs to one strategy and one set of options.`,
    );
  }
  const calm = choices.filter(({ fault }) => !fault);
  return calm.find(({ actor }) => actor === last?.actor) ?? calm[0] ?? (choices[0] as Choice);
}

/** The step of this index as it is known now: what waited then may have been answered since. */
export function playedStep(
  system: RealSystem,
  { choice, command, what, rests }: RealSystem['steps'][number],
  index: number,
  after: StockState,
): PlayedStep {
  const own = command?.answeredAt === index ? command.returned : undefined;
  const others = system.steps.slice(0, index).flatMap(({ command: earlier }) => {
    if (!earlier || earlier.answeredAt !== index) return [];
    const { text, values, returned } = earlier;
    return [{ actor: earlier.choice.actor, text, values, ...answerIn(returned) }];
  });
  return {
    actor: choice.actor,
    ...(command && { server: command.server }),
    text: command?.text ?? what ?? '',
    values: command?.values ?? [],
    ...answerIn(own),
    ...(command?.source && { source: command.source }),
    ...{ alsoAnswered: others, rests, after },
  };
}

function answerIn(returned: Returned | undefined): Pick<PlayedStep, 'returned' | 'error'> {
  if (!returned) return {};
  return returned.error === undefined ? { returned: returned.value } : { error: returned.error };
}
