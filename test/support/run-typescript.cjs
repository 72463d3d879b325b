// Lets a child process of a test run TypeScript as the tests do: node run-typescript.cjs file.ts …
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join, resolve: resolvePath } = require('node:path');
const transform = require('./typescript-transform.cjs');

// Kept between runs: the compiler takes longer to load than most children live.
const CACHE = join(__dirname, '../../node_modules/.cache/run-typescript');

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

/** @param {string} file */
function compiled(file) {
  const source = sourceOf(file);
  const kept = join(CACHE, `${transform.getCacheKey(source, file)}.js`);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const { code } = transform.process(source, file);
  mkdirSync(CACHE, { recursive: true });
  // Several children may write it at once; none may read a half.
  writeFileSync(`${kept}.${process.pid}`, code);
  renameSync(`${kept}.${process.pid}`, kept);
  return code;
}

const resolve = Module._resolveFilename;
Module._resolveFilename = (request, parent, ...rest) => {
  // TypeScript's ES modules name their imports by the compiled file.
  const source = request.replace(/\.js$/, '.ts');
  const isOurs = request.startsWith('.') && parent && existsSync(resolvePath(parent.path, source));
  return resolve(isOurs ? source : request, parent, ...rest);
};
Module._extensions['.ts'] = (module, file) => {
  module._compile(compiled(file), file);
};

process.argv.splice(1, 1);
require(resolvePath(process.argv[1]));
