import { type Step } from '../../contract/evidence.js';

const GRANTED = '1 in the queue';

/**
 * A request that enters the queue of a ZooKeeper lock just before the node of a dead holder disappears looks at that node
 * and at the queue again. Whether it does varies from run to run, so only the last look is kept. A request that waits
 * longer is part of the story: then other steps come between its looks.
 */
export function withoutShortWaits(steps: readonly Step[]): Step[] {
  return steps.filter((step, index) => {
    if (!looks(step)) return true;
    const end = steps.findIndex((other, at) => at > index && !(looks(other) && other.actor === step.actor));
    const last = steps.at(end < 0 ? -1 : end - 1);
    return last === step || last?.answer !== GRANTED;
  });
}

function looks({ kind, to, text }: Step): boolean {
  return kind === 'query' && to === 'zookeeper' && /: (getChildren|getData and watch) /.test(text);
}
