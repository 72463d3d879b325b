// Builds what the page needs besides its compiled modules: the libraries it imports, an import map with their addresses,
// and the sources and transcripts that it shows. Uses Node's own modules only.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The names that the page imports, and their files. */
const LIBRARIES = {
  preact: 'preact/dist/preact.mjs',
  'preact/hooks': 'preact/hooks/dist/hooks.mjs',
  htm: 'htm/dist/htm.module.js',
  'htm/preact': 'htm/preact/index.module.js',
  uplot: 'uplot/dist/uPlot.esm.js',
};
const STYLES = ['uplot/dist/uPlot.min.css'];

/** @param {string} path */
const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/**
 * Copies one file of a package, and the package's licence. The version is in the address, so that a browser may keep
 * the file for ever.
 * @param {string} page @param {string} file @returns {string} its address
 */
function vendor(page, file) {
  const [name = ''] = file.split('/');
  const home = join(ROOT, 'node_modules', name);
  /** @type {{version: string}} */
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const address = `/vendor/${name}@${version}/${basename(dirname(file))}-${basename(file)}`;
  cpSync(join(ROOT, 'node_modules', file), join(page, address));
  cpSync(join(home, 'LICENSE'), join(page, dirname(address), 'LICENSE'));
  return address;
}

/** @param {string} page @param {string} [folder] @returns {string[]} addresses of the page's own modules */
function modules(page, folder = page) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'vendor')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return modules(page, path);
      return path.endsWith('.js') ? [`/${relative(page, path)}`] : [];
    })
    .sort();
}

/**
 * The page imports modules of `src` at run time: values of the contract, and the sequence diagram. A browser that
 * follows such an import from the root of the site asks for /src/contract/… or /src/diagram/…
 * @param {string} out
 */
function copySharedModules(out) {
  const page = join(out, 'web');
  const imports = /from '(?:\.\.\/)+(src\/(?:contract|diagram)\/[^']+)'/g;
  const texts = modules(page).map((address) => readFileSync(join(page, address), 'utf8'));
  const imported = texts.flatMap((text) => [...text.matchAll(imports)]).map(([, path = '']) => path);
  const near = [...new Set(imported)].flatMap((path) =>
    [...readFileSync(join(out, path), 'utf8').matchAll(/from '(\.\/[^']+)'/g)].map(([, name = '']) =>
      join(dirname(path), name),
    ),
  );
  for (const path of new Set([...imported, ...near])) {
    // The page has no source maps: its modules are what TypeScript makes of the sources, line for line.
    const text = readFileSync(join(out, path), 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, '');
    mkdirSync(dirname(join(page, path)), { recursive: true });
    writeFileSync(join(page, path), text);
  }
}

/** @param {string} page */
function writeIndex(page) {
  const imports = Object.fromEntries(
    Object.entries(LIBRARIES).map(([name, file]) => [name, vendor(page, file)]),
  );
  const head = [
    `<script type="importmap">${JSON.stringify({ imports })}</script>`,
    ...STYLES.map((file) => `<link rel="stylesheet" href="${vendor(page, file)}" />`),
    // Without these the browser would find the modules one import at a time.
    ...[...Object.values(imports), ...modules(page)].map(
      (href) => `<link rel="modulepreload" href="${href}" />`,
    ),
  ];
  const index = read('web/index.html').replace('<!-- libraries -->', head.join('\n    '));
  writeFileSync(join(page, 'index.html'), index);
}

/**
 * The files that show how a strategy works: its own, its Lua scripts and stored procedures, then the files that it uses.
 * @param {string} file @returns {string[]}
 */
function lessonFiles(file) {
  const text = read(file);
  const near = (/** @type {string} */ path) => join(dirname(file), path);
  const helpers = [...text.matchAll(/from '(\.[^']+)\.js'/g)]
    .map(([, path = '']) => `${near(path)}.ts`)
    .filter((path) =>
      /^src\/(strategies\/support\/[^/]+|stock\/(stock|first-come|retry-conflicts)|locks\/(?!index)[^/]+)\.ts$|^src\/locks\/.+-lock\.ts$/.test(
        path,
      ),
    );
  const scripts = [...text.matchAll(/new URL\('([^']+\.lua)'/g)].map(([, path = '']) => near(path));
  const called = [...transcriptOf(basename(file, '.ts')).matchAll(/\b([\w-]+\.lua)\b/g)].flatMap(
    ([, name = '']) => scriptsNamed(name),
  );
  const procedures = [...text.matchAll(/^ \* .*\b(migrations\/\S+\.sql)/gm)].map(([, path = '']) => path);
  return [...new Set([file, ...scripts, ...procedures, ...helpers, ...called])];
}

/** The Lua files of this name, with what they share: `queue-enter.lua` begins with `queue.lua`. @param {string} name */
function scriptsNamed(name) {
  const shared = name.replace(/-[a-z]+\.lua$/, '.lua');
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === name || (basename(path) === shared && shared !== name))
    .map((path) => join('src', path))
    .sort();
}

/** What one sale sends, or nothing. @param {string} strategy */
function transcriptOf(strategy) {
  const path = `docs/transcripts/${strategy}.sql`;
  return existsSync(join(ROOT, path)) ? read(path) : '';
}

/** The commands of one sale with their answers, as the experiment without a fault has recorded them. @param {string} strategy */
function saleOf(strategy) {
  const path = `docs/experiments/none.${strategy}.json`;
  if (!existsSync(join(ROOT, path))) return [];
  /** @type {import('../src/contract/evidence.js').Evidence} */
  const { actors, steps } = JSON.parse(read(path));
  const label = (/** @type {string | undefined} */ id) =>
    actors.find((actor) => actor.id === id)?.label ?? '';
  const first = steps.findIndex(({ kind }) => kind === 'answer');
  return steps
    .slice(0, first < 0 ? undefined : first)
    .flatMap(({ kind, to, text, answer }) =>
      kind === 'query'
        ? [{ server: label(to), text: text.replace(/^[^:]+: /, ''), answer: answer ?? '' }]
        : [],
    );
}

/** Writes one JSON file per strategy: its sources and its transcript. @param {string} page */
function writeLessons(page) {
  mkdirSync(join(page, 'lessons'), { recursive: true });
  const families = readdirSync(join(ROOT, 'src/strategies'), { withFileTypes: true });
  for (const family of families.filter((entry) => entry.isDirectory() && entry.name !== 'support')) {
    const folder = join('src/strategies', family.name);
    for (const name of readdirSync(join(ROOT, folder)).filter((file) => file.endsWith('.ts'))) {
      const strategy = basename(name, '.ts');
      const lesson = {
        files: lessonFiles(join(folder, name)).map((path) => ({ path, text: read(path) })),
        transcript: transcriptOf(strategy) || null,
        sale: saleOf(strategy),
      };
      writeFileSync(join(page, `lessons/${strategy}.json`), JSON.stringify(lesson));
    }
  }
}

/** @param {string} out the folder of the build, in which everything is compiled */
export function finishPage(out) {
  const page = join(out, 'web');
  copySharedModules(out);
  writeIndex(page);
  writeLessons(page);
}
