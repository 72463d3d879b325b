import { type Step } from '../../contract/evidence.js';

const GRANTED = '1 in the queue';

/**
 * A request that enters the queue of a ZooKeeper lock just before the node of a dead holder disappears looks at that node
 * and at the queue again. Whether it does varies from run to run, so its looks become one, with the last answer. A request
 * that waits longer is part of the story: then other steps come between its looks.
 */
export function withoutShortWaits(steps: readonly Step[]): Step[] {
  return groups(steps).flatMap((looks) => {
    const [first, last] = [looks[0], looks.at(-1)];
    if (!first || last?.answer !== GRANTED) return looks;
    return [{ ...first, answer: GRANTED, ...(last.after && { after: last.after }) }];
  });
}

/** Looks of one request that follow each other are a group; every other step is a group of its own. */
function groups(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (before && looks(before) && looks(step) && before.actor === step.actor) group?.push(step);
    else groups.push([step]);
  }
  return groups;
}

function looks({ kind, to, text }: Step): boolean {
  return kind === 'query' && to === 'zookeeper' && /: (getChildren|getData and watch) /.test(text);
}
