import { type Step } from '../../src/contract/evidence.js';
import { withoutShortWaits } from '../../src/lab/evidence/short-waits.js';

const ask = (text: string, answer: string, to = 'zookeeper'): Step => ({
  actor: 'instance-2',
  to,
  kind: 'query',
  text: `B: ${text}`,
  answer,
});
const create = ask('create /queue/B', 'created');
const queue = (length: number) => ask('getChildren /queue', `${length} in the queue`);
const gone = ask('getData and watch /queue/A', 'not there');
const begin = ask('START TRANSACTION', 'OK', 'mysql');
const resumes: Step = { actor: 'lab', kind: 'fault', text: 'A resumes' };

describe('looks at the queue of a ZooKeeper lock', () => {
  test.each([
    ['the first finds the lock free', [queue(1)]],
    ['the holder has gone before it is watched', [queue(2), gone, queue(1)]],
    ['the holder goes while it is watched', [queue(2), queue(1)]],
  ])('%s: the last one is kept', (_, looks) => {
    expect(withoutShortWaits([create, ...looks, begin])).toEqual([create, queue(1), begin]);
  });

  test('a wait during which something happens is kept', () => {
    const steps = [create, queue(2), resumes, queue(1), begin];
    expect(withoutShortWaits(steps)).toEqual(steps);
  });

  test('a wait without an end is kept', () => {
    const steps = [create, queue(2), gone, begin];
    expect(withoutShortWaits(steps)).toEqual(steps);
  });
});
