import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../src/lab/paths.js';
import { type Mutation, MUTATIONS } from './lock-explorer/mutations.js';

/** In a process of its own: the explorer replaces the clock and the timers. */
async function explore(
  args: readonly string[],
  mutation?: Mutation,
): Promise<{ code: number; said: string }> {
  const program = [join(ROOT, 'test/support/run-typescript.cjs'), join(ROOT, 'test/lock-explorer/main.ts')];
  const env = { ...process.env, ...(mutation && { LOCKSTOCK_MUTATION: JSON.stringify(mutation) }) };
  const child = spawn(process.execPath, [...program, ...args], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => (said += piece.toString()));
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

test('no order of steps in the small scenarios breaks the lock', async () => {
  const { code, said } = await explore([]);
  expect({ code, said }).toMatchObject({ code: 0 });
  expect(said).toContain('an entry after the outer hold has ended');
}, 300_000);

test('no random order of steps in larger scenarios breaks the lock', async () => {
  const { code, said } = await explore(['--seeds', '3000', '--seed', '1']);
  expect({ code, said }).toMatchObject({ code: 0 });
  expect(said).toContain('3000 random schedules hold');
}, 120_000);

test.each(MUTATIONS)('the explorer finds a planted bug: $name', async (mutation) => {
  const { code, said } = await explore(['--only', mutation.scenario], mutation);
  expect({ code, said }).toMatchObject({ code: 1 });
  expect(said).toMatch(mutation.finds);
  // A replay of the printed schedule finds the same bug.
  const [, replay = ''] = /--replay '(.*)'/.exec(said) ?? [];
  expect((await explore(['--replay', replay], mutation)).said).toMatch(mutation.finds);
});
