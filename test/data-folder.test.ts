import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '../src/lab/data-folder.js';
import { Command } from './support/command.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstock-data-'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('circle', join(folder, 'circle'));
});
let running: Command | undefined;
afterEach(() => {
  // A command that does not end would use a core after a failed test.
  running?.child.kill('SIGKILL');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each<[what: string, path: () => string, code: number, why: string]>([
  ['an empty name', () => '', 2, '--data must name a folder'],
  ['a place where nobody can make a folder', () => '/proc/foo', 1, 'no folder can be created there'],
  ['a read-only place', () => '/sys/foo/bar', 1, 'cannot be the lab'],
  ['a file', () => join(folder, 'file'), 1, 'is not a folder'],
  ['a path through a file', () => join(folder, 'file/data'), 1, 'a part of the path is a file'],
  ['a link that leads nowhere', () => join(folder, 'circle/data'), 1, 'a link in the path leads nowhere'],
  ['a name that is too long', () => join(folder, 'x'.repeat(300)), 1, 'the path is too long'],
  ['a name with a line break', () => join(folder, 'a\nb'), 2, 'control characters'],
  ['a name with a quotation mark', () => join(folder, 'a"b'), 2, 'quotation marks'],
])(
  '--data with %s is refused at once, with the reason and a way out',
  async (_, path, code, why) => {
    const command = Command.run(['up', '--data', path(), '--instances', '1']);
    running = command;
    expect(await command.ended).toBe(code);
    expect(command.said).toContain(why);
    expect(command.said).toContain('--data');
    expect(command.said).not.toContain('    at ');
  },
  20_000,
);

test('a folder that other users can read is made private before a password is written into it', async () => {
  const path = join(folder, 'open');
  mkdirSync(path, { mode: 0o755 });
  const data = new DataFolder(path);
  await data.occupy({ fresh: false });
  data.secrets();
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, 'secrets.json')).mode & 0o777).toBe(0o600);
});

test('the passwords are created once, and a damaged password file is not overwritten', async () => {
  const data = new DataFolder(join(folder, 'kept'));
  await data.occupy({ fresh: false });
  expect(data.secrets()).toEqual(data.secrets());
  writeFileSync(join(data.path, 'secrets.json'), '{"adminTok');
  expect(() => data.secrets()).toThrow('is damaged');
});
