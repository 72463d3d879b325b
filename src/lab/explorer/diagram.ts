import { type Actor, type Step } from '../../contract/evidence.js';
import { type Drawable } from '../../diagram/svg.js';
import { type Exploration } from './explorer.js';
import { type Played } from './replay.js';
import { answerOf, commandOf, Names } from './step-texts.js';

/** A schedule as the sequence diagram of the experiments: a column per buyer and server. */
export function diagramOf(
  { steps, outcome, schedule }: Played,
  { strategy, buyers, stock }: Exploration['plan'],
): Drawable {
  const names = new Names();
  const servers = [...new Set(steps.flatMap(({ server }) => server ?? []))];
  const actors: Actor[] = [
    { id: 'time', kind: 'lab', label: 'time' },
    ...Array.from({ length: buyers }, (_, index): Actor => {
      const id = String.fromCharCode('A'.charCodeAt(0) + index);
      return { id, kind: 'instance', label: `buyer ${id}` };
    }),
    ...servers.map((id): Actor => ({ id, kind: id === 'mysql' ? 'mysql' : 'redis', label: id })),
  ];
  return {
    title: `${strategy.name}: the schedule ${schedule}`,
    actors: actors.filter(({ id }) => id !== 'time' || steps.some(({ actor }) => actor === 'time')),
    steps: steps.map((step): Step => {
      const { actor, server, text } = step;
      if (server === undefined) return { actor, kind: 'fault', text: names.of(text) };
      const answer = 'returned' in step || step.error !== undefined ? answerOf(step) : 'waits';
      return { actor, to: server, kind: 'query', text: names.of(`${commandOf(step)} → ${answer}`) };
    }),
    verdict: outcome.verdict,
    ok: true,
    why: `${outcome.sold} sold of ${stock}.`,
  };
}
