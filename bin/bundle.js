// Bundles the packages that an instance loads at its start into dist/node_modules, where Node looks first. Finding,
// reading and compiling their 2,000 small modules would take two thirds of an instance's start.
// node bin/bundle.js FOLDER-OF-THE-BUILD
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { FIRST, servicePackages } from './service-packages.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILD = process.argv[2] ?? join(ROOT, 'dist');
const OUT = join(BUILD, 'node_modules');

/** A package that reads files beside its own code. */
const WITH_FILES = 'swagger-ui-dist';

/** An ES module has no `require` and no `__dirname`; CommonJS packages in the bundle need them. */
const BANNER = `import '${FIRST}';
import { createRequire as __createRequire } from 'node:module';
import { dirname as __dirnameOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);
const __filename = __pathOf(import.meta.url);
const __dirname = __dirnameOf(__filename);`;

/**
 * The source of a module that exports what the package exports, name by name: a bundler does not know the names that a
 * CommonJS package exports.
 * @param {string} name
 */
async function reexport(name) {
  const names = Object.keys(/** @type {object} */ (await import(name)));
  return `export { ${names.filter((key) => key !== 'module.exports').join(', ')} } from '${name}';`;
}

/** @type {import('esbuild').Plugin} */
const plugin = {
  name: 'packages',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^entry:/ }, ({ path }) => ({
      path: path.slice('entry:'.length),
      namespace: 'entry',
    }));
    onLoad({ filter: /.*/, namespace: 'entry' }, async ({ path }) => ({
      contents: await reexport(path),
      resolveDir: ROOT,
    }));
    // An optional package that is not installed stays an import by name, and fails when it is used.
    onResolve({ filter: /^[^./]/ }, async ({ path, importer, kind, namespace, resolveDir, pluginData }) => {
      if (pluginData === plugin) return undefined;
      const found = await resolve(path, { importer, kind, namespace, resolveDir, pluginData: plugin });
      return found.errors.length > 0 ? { path, external: true } : found;
    });
  },
};

/** Tells Node which file of the bundle belongs to a package, or to a path such as `mysql2/promise`. @param {string[]} names */
function writeManifests(names) {
  for (const name of new Set(names.map(packageOf))) {
    const paths = names.filter((entry) => packageOf(entry) === name).map((entry) => entry.slice(name.length));
    const exported = Object.fromEntries(paths.map((path) => [`.${path}`, `.${path}/index.js`]));
    mkdirSync(join(OUT, name), { recursive: true });
    writeFileSync(join(OUT, name, 'package.json'), JSON.stringify({ type: 'module', exports: exported }));
  }
}

/** How esbuild keeps a name. It calls this for every function, also for those that a package creates for each request. */
const NAMING = /var __name = \((\w+), (\w+)\) => (__defProp\(\1, "name", [^)]*\));/;

/**
 * Writes the files of the bundle. Only names that the bundler changed are set again: a function without a name stays
 * without one. Setting the names of all functions takes a twentieth of the time that an instance spends on a request.
 * @param {import('esbuild').OutputFile[]} files
 */
function writeFiles(files) {
  let found = 0;
  for (const { path, text } of files) {
    const cheaper = text.replace(NAMING, (_, target, name, define) => {
      found += 1;
      return `var __name = (${target}, ${name}) => ${target}.name === "" || ${target}.name === ${name} ? ${target} : ${define};`;
    });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, cheaper);
  }
  if (found !== 1) throw new Error(`esbuild defines __name ${found} times, not once: adapt bin/bundle.js.`);
}

/** @param {string} entry */
function packageOf(entry) {
  const parts = entry.split('/');
  return parts.slice(0, entry.startsWith('@') ? 2 : 1).join('/');
}

const names = servicePackages(BUILD);
const { outputFiles } = await build({
  entryPoints: names.map((name) => ({ in: `entry:${name}`, out: `${name}/index` })),
  plugins: [plugin],
  external: [FIRST, WITH_FILES],
  outdir: OUT,
  chunkNames: '.shared/[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Nest and TypeORM use the names of classes.
  keepNames: true,
  banner: { js: BANNER },
  logLevel: 'error',
  write: false,
});
writeFiles(outputFiles);
writeManifests(names);
