import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type Typescript from 'typescript';
import { UsageError } from '../errors.js';
import { ROOT } from '../paths.js';

/** What the file imports, and the module that it gets: its types from the sources, its code from the build. */
const KIT = { name: 'lockstock', types: 'src/strategies/kit.ts', code: 'dist/src/strategies/kit.js' };
const ALLOWED = /^(lockstock|node:.+)$/;

/** Wrong TypeScript, or an import that is not possible. The message has a line for each error: file, line, column. */
export class CompileError extends UsageError {}

/**
 * Checks the types of the strategy in `path` and compiles it into `folder`, which must be outside of the project: the
 * project's files and its build stay as they are. Answers the path of the compiled file.
 */
export async function compileStrategy(path: string, folder: string): Promise<string> {
  // Loaded on use, because it is large.
  const { default: ts } = await import('typescript');
  const options = optionsOf(ts);
  const program = ts.createProgram([path], options, cachingHost(ts, options, path));
  const source = program.getSourceFile(path);
  if (!source) throw new UsageError(`${path} cannot be read as TypeScript.`);
  const foreign = foreignImports(ts, source);
  const errors =
    foreign.length > 0
      ? foreign
      : [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  if (errors.length > 0)
    throw new CompileError(`${path} has errors:\n${errors.map((error) => told(ts, error)).join('\n')}`);
  const { outputText } = ts.transpileModule(source.text, {
    compilerOptions: { ...options, inlineSourceMap: true, inlineSources: true, sourceRoot: dirname(path) },
    fileName: path,
  });
  const kit = join(folder, 'node_modules', KIT.name);
  mkdirSync(kit, { recursive: true });
  const code = pathToFileURL(join(ROOT, KIT.code)).href;
  writeFileSync(join(kit, 'index.js'), `export * from ${JSON.stringify(code)};\n`);
  writeFileSync(join(kit, 'package.json'), JSON.stringify({ type: 'module', exports: './index.js' }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const compiled = join(folder, 'strategy.js');
  writeFileSync(compiled, outputText);
  return compiled;
}

/** The files of this project and its packages, parsed. They do not change while a process tests strategies. */
const parsed = new Map<string, Typescript.SourceFile>();

function cachingHost(
  ts: typeof Typescript,
  options: Typescript.CompilerOptions,
  own: string,
): Typescript.CompilerHost {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...how) => {
    const source = parsed.get(file) ?? read(file, ...how);
    if (source && file !== own) parsed.set(file, source);
    return source;
  };
  return host;
}

/** Options that say where this project's files are. */
const OF_THE_PROJECT = ['incremental', 'tsBuildInfoFile', 'rootDir', 'outDir'];

function optionsOf(ts: typeof Typescript): Typescript.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: { compilerOptions: Record<string, unknown> };
  };
  const own = Object.fromEntries(
    Object.entries(config.compilerOptions).filter(([name]) => !OF_THE_PROJECT.includes(name)),
  );
  const { options } = ts.convertCompilerOptionsFromJson(own, ROOT);
  return {
    ...options,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    paths: { [KIT.name]: [join(ROOT, KIT.types)] },
    typeRoots: [join(ROOT, 'node_modules/@types')],
    noEmit: true,
  };
}

/** Packages and other files are not found where the compiled file is. */
function foreignImports(ts: typeof Typescript, source: Typescript.SourceFile): Typescript.Diagnostic[] {
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const name = statement.moduleSpecifier;
    if (!name || !ts.isStringLiteral(name) || ALLOWED.test(name.text)) return [];
    const messageText = `A strategy can import lockstock and Node's own modules (node:…), not ${JSON.stringify(name.text)}.`;
    const category = ts.DiagnosticCategory.Error;
    return [
      {
        category,
        code: 0,
        file: source,
        start: name.getStart(source),
        length: name.text.length,
        messageText,
      },
    ];
  });
}

function told(ts: typeof Typescript, { file, start = 0, messageText, code }: Typescript.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, '\n    ');
  const what = code === 0 ? text : `${text} (TS${code})`;
  if (!file) return `  ${what}`;
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  const path = relative(process.cwd(), file.fileName);
  return `  ${path.startsWith('..') ? file.fileName : path}:${line + 1}:${character + 1} ${what}`;
}
