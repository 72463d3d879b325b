// Lets a child process of a test run TypeScript: node run-typescript.cjs file.ts …
// esbuild makes one script of the file and its imports. That takes less CPU time than loading the TypeScript compiler.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const { build, stop } = require('esbuild');

/**
 * For tests of a checker: replacements of source text, as JSON, that plant a bug which the checker must find.
 * @type {{file: string, edits: [from: string, to: string][]} | undefined}
 */
const MUTATION = process.env['LOCKSTOCK_MUTATION'] && JSON.parse(process.env['LOCKSTOCK_MUTATION']);

/** @param {string} file */
function sourceOf(file) {
  const source = readFileSync(file, 'utf8');
  if (!MUTATION || !file.endsWith(MUTATION.file)) return source;
  return MUTATION.edits.reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${file} must contain this text once, to be mutated: ${from}`);
    return parts.join(to);
  }, source);
}

/** One script has no URL for each of its files, so the URLs become texts. @type {import('esbuild').Plugin} */
const sources = {
  name: 'sources',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: sourceOf(path).replace(/\bimport\.meta\.url\b/g, () => url), loader: 'ts' };
    });
  },
};

async function main() {
  process.argv.splice(1, 1);
  const file = resolve(process.argv[1]);
  const { outputFiles } = await build({
    entryPoints: [file],
    plugins: [sources],
    packages: 'external',
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  });
  await stop();
  const program = new Module(file);
  program.filename = file;
  program.paths = Module._nodeModulePaths(dirname(file));
  program._compile(outputFiles[0].text, file);
}

void main();
