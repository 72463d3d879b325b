import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';
import {
  CONTRACT_ONLY,
  cycles,
  drawing,
  type Import,
  importsIn,
  importsOf,
  LAYERS,
  runtimeImports,
  violations,
} from '../support/architecture.js';

const imports = importsIn(ROOT, ['src', 'migrations', ...CONTRACT_ONLY]);

test('every folder imports only the layers below it', () => {
  expect(violations(imports)).toEqual([]);
});

test('no folders import each other in a circle', () => {
  expect(cycles(imports)).toEqual([]);
});

test('the files of the contract import each other only with `import type`', () => {
  expect(runtimeImports(ROOT, 'src/contract')).toEqual([]);
});

test('docs/architecture.md draws the same layers and describes every folder', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  expect(page).toContain(drawing());
  const ofTheLab = readdirSync(join(ROOT, 'src/lab'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const folders = [...LAYERS.flat(), ...CONTRACT_ONLY, ...ofTheLab];
  expect(folders.filter((folder) => !page.includes(`**${folder}**`))).toEqual([]);
});

describe('a planted violation is found:', () => {
  test.each<[string, string, string]>([
    ['the service uses the lab', 'src/http/problem.ts', 'src/lab/errors.js'],
    ['the stock uses a strategy', 'src/stock/ledger.ts', 'src/strategies/strategy.js'],
    ['the stock uses the Redis stock', 'src/stock/verdict.ts', 'src/redis-stock/redis-stock.js'],
    ['an engine uses another engine', 'src/redis/outcome.ts', 'src/database/sql.js'],
    ['an engine uses the stock', 'src/database/options.ts', 'src/stock/goods.entity.js'],
    ['a strategy uses HTTP', 'src/strategies/registry.ts', 'src/http/problem.js'],
    ['a folder uses the application', 'src/config/settings.ts', 'src/app.js'],
    ['errors use an engine', 'src/errors.ts', 'src/database/database.js'],
    ['the locks use the project', 'src/locks/lock.ts', 'src/contract/problem.js'],
    ['the locks use a framework', 'src/locks/lock.ts', '@nestjs/common'],
    ['the contract uses the project', 'src/contract/audit.ts', 'src/stock/verdict.js'],
    ['the contract uses a package', 'src/contract/audit.ts', 'zod'],
    ['the page uses the service', 'web/client/http.ts', 'src/http/problem.js'],
    ['a k6 script uses the page', 'load-tests/lib/shop.ts', 'web/client/http.js'],
    ['a folder has no layer', 'src/new-folder/file.ts', 'src/contract/audit.js'],
  ])('%s', (_, from, to) => {
    expect(violations([{ from, to }])).toHaveLength(1);
  });

  test('folders in a circle, also through a third one and inside the lab', () => {
    const circle: Import[] = [
      { from: 'src/stock/a.ts', to: 'src/redis-stock/b.js' },
      { from: 'src/redis-stock/b.ts', to: 'src/strategies/c.js' },
      { from: 'src/strategies/c.ts', to: 'src/stock/a.js' },
    ];
    expect(cycles(circle)).toHaveLength(3);
    expect(cycles(circle.slice(1))).toEqual([]);
    const inLab: Import[] = [
      { from: 'src/lab/faults/kill.ts', to: 'src/lab/experiments/run.js' },
      { from: 'src/lab/experiments/run.ts', to: 'src/lab/faults/kill.js' },
    ];
    expect(cycles(inLab)).toEqual(['lab/faults → lab/experiments', 'lab/experiments → lab/faults']);
  });
});

test('imports are found in every form', () => {
  const text = `
    import { a } from './a.js';
    import type { B } from '../stock/b.js';
    export * from './c.js';
    const d = await import('../lab/d.js');
    type E = import('./e.js').E;
    // import { f } from './f.js';
    const text = "import { g } from './g.js'";
  `;
  expect(importsOf('src/http/x.ts', text).map(({ to }) => to)).toEqual([
    'src/http/a.js',
    'src/stock/b.js',
    'src/http/c.js',
    'src/lab/d.js',
    'src/http/e.js',
  ]);
});
