import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawn } from 'node:child_process';
import { runLoad } from '../src/lab/load/run.js';
import { Target } from '../src/lab/load/target.js';
import { compileStrategy } from '../src/lab/own/compile.js';
import { firstSale } from '../src/lab/own/first-sale.js';
import { starter } from '../src/lab/own/starter.js';
import { ROOT } from '../src/lab/paths.js';
import { Command } from './support/command.js';
import { TestShop } from './support/test-shop.js';

/** Strategies in a folder outside of the project, whose path has a blank. */
const folder = mkdtempSync(join(tmpdir(), 'lockstock own '));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const METADATA = `family: 'database', lesson: 1, title: 'A title', stock: 'mysql', needs: ['mysql'],
  safe: 'always', breaksUnder: ['lost-reply'], teaches: 'Nothing.'`;

/** The class of a strategy. */
function strategy(name: string, deduct: string, metadata = METADATA): string {
  return `@Strategy({ name: '${name}', ${metadata} })
export class Own${name.replaceAll('-', '')} implements DeductStrategy {
  constructor(private readonly stock: Stock) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    ${deduct}
  }
}
`;
}
const IMPORTS = `import { type Deduction, type DeductOrder, type DeductStrategy, Stock, Strategy } from 'lockstock';\n`;
const HOPEFUL = strategy('hopeful', 'return this.stock.sellUnprotected(order);');

function write(file: string, text: string): string {
  const path = join(folder, file);
  writeFileSync(path, text);
  return path;
}

/** In a folder of its own, as the command does it. */
const compile = (path: string) => compileStrategy(path, mkdtempSync(join(folder, 'compiled-')));

describe('before a server starts', () => {
  test('what lockstock new writes compiles', async () => {
    expect(readFileSync(await compile(write('my-strategy.ts', starter('my-strategy'))), 'utf8')).toContain(
      'my-strategy',
    );
  });

  test.each([
    [
      'a type error',
      HOPEFUL.replace('sellUnprotected', 'sellAll'),
      /wrong\.ts:\d+:23 Property 'sellAll' does not exist .*TS2339/,
    ],
    [
      'wrong metadata',
      HOPEFUL.replace("stock: 'mysql'", "stock: 'oracle'"),
      /wrong\.ts:\d+:\d+ Type '"oracle"' is not assignable/,
    ],
    ['a syntax error', `${HOPEFUL} export const = 1;`, /wrong\.ts:\d+:\d+ .*expected/],
    [
      'a package',
      `import 'typeorm';\n${HOPEFUL}`,
      /wrong\.ts:2:8 A strategy can import lockstock and Node's own modules/,
    ],
    ['another file', `import './other.js';\n${HOPEFUL}`, /wrong\.ts:2:8 A strategy can import lockstock/],
  ])('%s is a compile error with its place', async (_, text, message) => {
    await expect(compile(write('wrong.ts', IMPORTS + text))).rejects.toThrow(message);
  });

  /** Compiled by hand: what is wrong shows only when the file is loaded. */
  const cases: readonly (readonly [what: string, code: string, message: string])[] = [
    ['no strategy', 'export const nothing = 1;', 'exports 0 classes with @Strategy'],
    ['an error', 'throw new Error("boom");', 'Error: boom'],
    [
      'code that ends the process',
      `${declaring({ name: 'leaving' })} process.exit(0);`,
      'Remove process.exit() and an await that never ends',
    ],
    ['no method deduct', declaring({ name: 'idle' }), 'has no method deduct'],
    [
      'an unknown fault',
      declaring({ name: 'sunny', breaksUnder: ['sunshine'] }),
      'breaksUnder.0: Invalid option',
    ],
    ['a name in capitals', declaring({ name: 'Sunny' }), 'name: must be 2 to 40 small letters'],
    [
      'the name of a built-in strategy',
      declaring({ name: 'for-update', deducts: true }),
      'has a strategy for-update already',
    ],
    [
      'what the file prints',
      `console.log('loading'); ${declaring({ name: 'own', deducts: true })}`,
      'accepted',
    ],
  ];
  let refusals: readonly string[] = [];
  beforeAll(async () => {
    const beside = dirname(await compile(write('loaded.ts', 'export {};')));
    const compiled = cases.map(([, code], index) => {
      const path = join(beside, `loaded-${index}.js`);
      writeFileSync(path, `import { Strategy } from 'lockstock';\n${code}`);
      return path;
    });
    refusals = await declared(compiled);
  });
  test.each(cases.map(([what, , message], index) => [what, message, index] as const))(
    'the answer to %s',
    (_, message, index) => {
      expect(refusals[index]).toContain(message);
    },
  );
});

function declaring({ deducts = false, ...changes }: Record<string, unknown> & { name: string }): string {
  const metadata = {
    ...{ family: 'database', lesson: 1, title: 'A title', stock: 'mysql', needs: ['mysql'] },
    ...{ safe: 'always', breaksUnder: [], teaches: '' },
    ...changes,
  };
  return `class Own { ${deducts === true ? 'deduct() {}' : ''} }\nStrategy(${JSON.stringify(metadata)})(Own);\nexport { Own };`;
}

/** What the check of the metadata says. It runs the compiled lab, because Jest cannot load the service. */
async function declared(compiled: readonly string[]): Promise<string[]> {
  const program = `import { declaredIn } from ${JSON.stringify(join(ROOT, 'dist/src/lab/own/declared.js'))};
    const said = [];
    for (const path of ${JSON.stringify(compiled)})
      said.push(await declaredIn(path, 'loaded.ts').then(() => 'accepted', (error) => error.message));
    console.log(JSON.stringify(said));`;
  const command = new Command(spawn(process.execPath, ['--input-type=module', '-e', program]));
  await command.ended;
  return JSON.parse(command.said) as string[];
}

describe('on instances that have loaded the file', () => {
  let shop: TestShop;
  beforeAll(async () => {
    const text = [
      IMPORTS,
      HOPEFUL,
      strategy('throwing', 'throw new Error(`cannot sell ${order.quantity} of ${typeof this.stock}`);'),
      strategy('hanging', 'return new Promise(() => { order.quantity.toFixed(); this.stock.toString(); });'),
      starter('my-strategy')
        .replace(/^\/\/.*\n/gm, '')
        .replace('type Deduction,\n  type DeductOrder,\n  type DeductStrategy,', '')
        .replace('  Strategy,\n', ''),
    ].join('\n');
    const compiled = await compile(write('several.ts', text));
    const env = { OWN_STRATEGY: compiled, NODE_OPTIONS: '--enable-source-maps' };
    shop = await TestShop.open({ instances: 3, env });
  });
  afterAll(() => shop.close());

  test('one that throws is reported with its error and its line', async () => {
    const sale = firstSale(shop.shop, 'throwing', shop.folder);
    await expect(sale).rejects.toThrow(
      /throwing does not sell to a single buyer: .*500[^]*cannot sell 1 of object[^]*several\.ts:\d+/,
    );
  });

  test('one that never answers is reported', async () => {
    await expect(firstSale(shop.shop, 'hanging', shop.folder)).rejects.toThrow(
      /no answer within 10 s|answered with 50[34]/,
    );
  });

  test('an unsafe one oversells, and a safe one sells exactly the stock', async () => {
    const target = await Target.open(shop.url, shop.shop.adminToken);
    const load = { stock: 40, buyers: 50, requests: 150, quantity: 1, retry: true };
    const stop = new AbortController().signal;
    expect(await runLoad(target, 'hopeful', load, { stop })).toMatchObject({ kept: false });
    await firstSale(shop.shop, 'my-strategy', shop.folder);
    expect(await runLoad(target, 'my-strategy', load, { stop })).toMatchObject({
      verdict: 'SAFE',
      outcomes: { sold: 40, soldOut: 110 },
    });
  });
});

test('the whole trial of an unsafe strategy finds it, and says how to break it', async () => {
  const path = write('hopeful.ts', IMPORTS + HOPEFUL);
  const page = join(folder, 'report.html');
  const command = Command.run(['try', path, '--quick', '--html', page]);
  expect([await command.ended, command.said]).toEqual([1, expect.stringContaining('✘ hopeful')]);
  expect(command.said).toContain('The explorer found a schedule without a fault that ends as OVERSOLD');
  expect(command.said).toMatch(/The simplest schedule that breaks it \("A2 B5 A3"\)/);
  expect(command.said).toMatch(/sql-atomic +\d+ sales\/s/);
  expect(readFileSync(page, 'utf8')).toContain('<svg');
});

test('production refuses to load a file', async () => {
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    OWN_STRATEGY: '/tmp/own.js',
    DATABASE_URL: 'mysql://a:b@127.0.0.1:1/c',
  };
  const command = new Command(spawn(process.execPath, [join(ROOT, 'dist/src/main.js')], { env }));
  expect([await command.ended, command.said]).toEqual([
    1,
    expect.stringContaining('OWN_STRATEGY must not be set under NODE_ENV=production'),
  ]);
});
