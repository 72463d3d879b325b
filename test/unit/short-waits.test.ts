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
const watch = ask('getData and watch /queue/A', 'watched');
const begin = ask('START TRANSACTION', 'OK', 'mysql');
const resumes: Step = { actor: 'lab', kind: 'fault', text: 'A resumes' };

describe('looks at the queue of a ZooKeeper lock', () => {
  test.each([
    ['the first finds the lock free', [queue(1)]],
    ['the holder has gone before it is watched', [queue(2), queue(1)]],
    ['the holder goes while it is watched', [queue(2), watch, queue(1)]],
  ])('%s: they are one', (_, looks) => {
    expect(withoutShortWaits([create, ...looks, begin])).toEqual([create, queue(1), begin]);
  });

  test('what is stored after the last one, and the line that sent the first one, are kept', () => {
    const source = { file: 'zookeeper-client.ts', symbol: 'call', code: 'send(ask)' };
    const after = { inventory: 1, sold: 0 };
    expect(withoutShortWaits([{ ...queue(2), source }, watch, { ...queue(1), after }])).toEqual([
      { ...queue(1), source, after },
    ]);
  });

  test('a wait during which something happens is kept', () => {
    const steps = [create, queue(2), resumes, queue(1), begin];
    expect(withoutShortWaits(steps)).toEqual(steps);
  });

  test('a wait without an end is kept', () => {
    const steps = [create, queue(2), watch, begin];
    expect(withoutShortWaits(steps)).toEqual(steps);
  });
});
