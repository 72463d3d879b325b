import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from './support/command.js';
import { CopiedProject } from './support/copied-project.js';
import { eventually } from './support/eventually.js';

const STOCK = 'src/stock/stock.ts';
const BUILT_STOCK = 'dist/src/stock/stock.js';
const BUILT_LEDGER = 'dist/src/stock/ledger.js';

let project: CopiedProject;
let original: string;
beforeEach(() => {
  project = new CopiedProject();
  original = readFileSync(project.in(STOCK), 'utf8');
});
afterEach(() => {
  project.remove();
});

const build = () => new Command(spawn(process.execPath, [project.in('bin/build.js')]));
const contentOf = (path: string) => readFileSync(project.in(path), 'utf8');
const change = (text: string) => {
  writeFileSync(project.in(STOCK), `${original}\n${text}\n`);
};

/** Every file of the build with its content, except the file that differs between builds of the same sources. */
function builtFiles(): Map<string, string> {
  const files = readdirSync(project.in('dist'), { recursive: true, encoding: 'utf8' }).sort();
  return new Map(
    files
      .filter((file) => file !== '.build.json' && statSync(project.in(join('dist', file))).isFile())
      .map((file) => [file, contentOf(join('dist', file))]),
  );
}

test('a build compiles the changed file and takes the others from the last build', async () => {
  const before = statSync(project.in(BUILT_LEDGER)).ino;
  change('export const ADDED = 1;');
  expect(await build().ended).toBe(0);
  expect(contentOf(BUILT_STOCK)).toContain('ADDED = 1');
  expect(statSync(project.in(BUILT_LEDGER)).ino).toBe(before);
  const incremental = builtFiles();
  rmSync(project.in('dist'), { recursive: true });
  expect(await build().ended).toBe(0);
  expect(builtFiles()).toEqual(incremental);
});

test('a source file that was removed is not in the next build', async () => {
  rmSync(project.in('src/lab/bench/service/audit-cost.ts'));
  expect(await build().ended).toBe(0);
  expect(existsSync(project.in('dist/src/lab/bench/service/audit-cost.js'))).toBe(false);
});

test('a syntax error is reported with file and line, and the last build stays unchanged', async () => {
  const before = builtFiles();
  change('const = 1;');
  const failed = build();
  expect(await failed.ended).toBe(1);
  const line = original.split('\n').length + 1;
  expect(failed.said).toContain(`${STOCK}(${line},`);
  expect(builtFiles()).toEqual(before);
  expect(readdirSync(project.in('.build'))).toEqual([]);
});

test('a build that is killed changes nothing, and the next build removes its files', async () => {
  const before = builtFiles();
  change('export const ADDED = 1;');
  const killed = build();
  const began = new Promise<void>((resolve) => {
    const watcher = watch(project.root, (_event, file) => {
      if (file !== '.build') return;
      watcher.close();
      const folder = watch(project.in('.build'), () => {
        folder.close();
        resolve();
      });
    });
  });
  await began;
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(builtFiles()).toEqual(before);
  expect(readdirSync(project.in('.build'))).toHaveLength(1);
  expect(await build().ended).toBe(0);
  expect(contentOf(BUILT_STOCK)).toContain('ADDED = 1');
  expect(readdirSync(project.in('.build'))).toEqual([]);
});

test('simultaneous builds do not mix their files', async () => {
  change('export const ADDED = 1;');
  expect(await build().ended).toBe(0);
  const first = builtFiles();
  change('export const ADDED = 2;');
  const builds = [build(), build()];
  await eventually('both builds have begun', () => readdirSync(project.in('.build')).length === 2);
  change('export const ADDED = 1;');
  builds.push(build(), build());
  expect(await Promise.all(builds.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
  expect(await build().ended).toBe(0);
  expect(builtFiles()).toEqual(first);
});
