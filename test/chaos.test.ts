import { Command } from './support/command.js';

/** Kills MariaDB and Redis, pauses an instance and kills one, within five seconds. */
const SEED = '114765';

test('chaos: the safe strategies stay safe while servers and instances are killed and paused', async () => {
  const chaos = Command.run(['chaos', '--seconds', '30', '--seed', SEED]);
  expect([await chaos.ended, chaos.said]).toEqual([0, expect.stringContaining('every strategy is SAFE')]);
  for (const deed of [
    /MariaDB was killed/,
    /Redis was killed/,
    /instance-\d stood still/,
    /instance-\d was killed/,
  ]) {
    expect(chaos.said).toMatch(deed);
  }
  expect(chaos.said).toContain(`lockstock chaos --seconds 30 --seed ${SEED}`);
  expect(chaos.said.match(/✔ [\w-]+ +SAFE +[1-9]\d* sold/g)?.length).toBeGreaterThan(5);
}, 180_000);

test.each([
  [['--minutes', '0'], 'minutes'],
  [['--seconds', '14'], 'seconds'],
  [['--seconds', '1e9'], 'seconds'],
  [['--seed', '-1'], 'seed'],
  [['--seed', 'x'], 'seed'],
  [['--hours', '1'], 'hours'],
])('chaos %j is refused before anything is started', async (args, named) => {
  const chaos = Command.run(['chaos', ...args]);
  expect([await chaos.ended, chaos.said]).toEqual([2, expect.stringContaining(named)]);
});
