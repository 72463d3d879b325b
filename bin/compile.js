// Compiles TypeScript file by file, without reading the types of packages: a changed file takes milliseconds, a program
// of all files seconds. Types are checked by `npm run typecheck`, and while `npm run dev` runs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeFile } from './last-build.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CODE = /^(src|migrations|bin|web)\/.*(?<!\.d)\.(ts|js)$/;

/** Loaded when it is needed: this module is read before packages are installed. @returns {typeof import('typescript')} */
const typescript = () => createRequire(import.meta.url)('typescript');

/** @param {string} path */
const configOf = (path) => (path.startsWith('web/') ? 'web/tsconfig.json' : 'tsconfig.json');

/** Compiled files of the last build are right only if this has not changed. */
export function compilerKey() {
  const texts = ['bin/compile.js', 'tsconfig.json', 'web/tsconfig.json'].map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );
  return [typescript().version, ...texts].join('\n');
}

/** @param {string} config */
function optionsOf(config) {
  const ts = typescript();
  const path = join(ROOT, config);
  const { compilerOptions } = ts.readConfigFile(path, ts.sys.readFile).config;
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, dirname(path));
  // nodenext looks at package.json, which a file that is compiled alone does not.
  return { ...options, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
}

/**
 * Compiles the source files among `paths` into the folder, or takes the compiled file from the folder that `builtIn` names.
 * @param {string} out @param {string[]} paths @param {(path: string) => string | undefined} builtIn
 */
export function compileInto(out, paths, builtIn) {
  /** @type {Map<string, import('typescript').CompilerOptions>} */
  const options = new Map();
  /** @type {import('typescript').Diagnostic[]} */
  const errors = [];
  for (const path of paths.filter((path) => CODE.test(path))) {
    const files = compiledFiles(path);
    const from = builtIn(path);
    if (from !== undefined && files.every((file) => takeFile(join(from, file), join(out, file)))) continue;
    const config = configOf(path);
    const known = options.get(config) ?? optionsOf(config);
    options.set(config, known);
    errors.push(...compile(out, path, known));
  }
  if (errors.length > 0) throw new Error(inWords(errors));
}

/** @param {string} path */
function compiledFiles(path) {
  const file = path.replace(/\.ts$/, '.js');
  return path.startsWith('web/') ? [file] : [file, `${file}.map`];
}

/** @param {string} out @param {string} path @param {import('typescript').CompilerOptions} compilerOptions */
function compile(out, path, compilerOptions) {
  const [file = '', map] = compiledFiles(path);
  const done = typescript().transpileModule(readFileSync(join(ROOT, path), 'utf8'), {
    compilerOptions,
    fileName: join(ROOT, path),
    reportDiagnostics: true,
  });
  mkdirSync(dirname(join(out, file)), { recursive: true });
  writeFileSync(join(out, file), done.outputText);
  if (map !== undefined && done.sourceMapText !== undefined) {
    const sources = [relative(join('dist', dirname(path)), path)];
    writeFileSync(join(out, map), JSON.stringify({ ...JSON.parse(done.sourceMapText), sources }));
  }
  return done.diagnostics ?? [];
}

/** @param {import('typescript').Diagnostic[]} errors */
function inWords(errors) {
  const ts = typescript();
  const host = {
    getCanonicalFileName: (/** @type {string} */ name) => name,
    getCurrentDirectory: () => ROOT,
    getNewLine: () => '\n',
  };
  const show = process.stderr.isTTY ? ts.formatDiagnosticsWithColorAndContext : ts.formatDiagnostics;
  return show(errors, host).trimEnd();
}
