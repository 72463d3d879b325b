import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript';

/**
 * The folders of the project from the bottom up; docs/architecture.md describes them. A folder imports itself and the
 * layers below its own, and no folder of its own layer or of a layer above. `app` is the files at the top of `src`.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['contract', 'locks', 'checkpoints', 'migrations'],
  ['errors', 'config', 'diagram'],
  ['database', 'redis', 'coordination'],
  ['health', 'metrics'],
  ['stock'],
  ['redis-stock'],
  ['strategies'],
  ['use-cases'],
  ['http'],
  ['app'],
  ['specimens'],
  ['lab'],
];

/** Programs of their own: they know what crosses a process boundary, and the page the sequence diagram. */
export const CONTRACT_ONLY: readonly string[] = ['web', 'load-tests'];

/** The packages that the lock library needs. It is packable on its own, so it knows no framework. */
const LOCK_PACKAGES = /^(node:.+|ioredis|mysql2\/promise|etcd3|node-zookeeper-client|redlock|@grpc\/.+)$/;

/** One import: both are paths from the project's folder, or `to` is the name of a package. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

const SOURCE = /\.tsx?$/;

/** All imports of the files in these folders, types included. */
export function importsIn(root: string, folders: readonly string[]): Import[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => SOURCE.test(file))
      .flatMap((file) => importsOf(join(folder, file), readFileSync(join(root, folder, file), 'utf8'))),
  );
}

export function importsOf(file: string, text: string): Import[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName: name }) => ({
    from: file,
    to: name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
  }));
}

/** Every forbidden import, as a sentence. */
export function violations(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to }) => {
    const why = forbidden(from, to);
    return why === undefined ? [] : [`${from} imports ${to}: ${why}`];
  });
}

function forbidden(from: string, to: string): string | undefined {
  const [importer, imported] = [folderOf(from), folderOf(to)];
  if (importer === 'locks' && imported === undefined) {
    return LOCK_PACKAGES.test(to) ? undefined : 'the lock library uses no such package';
  }
  if (importer === 'contract' && imported === undefined) return 'the contract uses no package';
  if (imported === undefined || importer === imported) return undefined;
  if (importer !== undefined && CONTRACT_ONLY.includes(importer)) {
    const shared = imported === 'contract' || (importer === 'web' && imported === 'diagram');
    return shared ? undefined : `${importer} knows the contract only`;
  }
  const [above, below] = [layerOf(importer), layerOf(imported)];
  if (above < 0 || below < 0) return 'a folder without a layer';
  return below < above ? undefined : `${String(importer)} is not above ${imported}`;
}

function layerOf(folder: string | undefined): number {
  return LAYERS.findIndex((layer) => folder !== undefined && layer.includes(folder));
}

/** The folder that a path belongs to; undefined for a package. */
function folderOf(path: string): string | undefined {
  const [top = '', folder = '', ...rest] = path.split('/');
  if (top === 'src') return rest.length > 0 ? folder : folder.startsWith('errors.') ? 'errors' : 'app';
  return ['web', 'load-tests', 'migrations'].includes(top) ? top : undefined;
}

/** The parts of a large folder: its subfolders, and each of its files. */
function partOf(path: string): string | undefined {
  const [top = '', folder = '', part = ''] = path.split('/');
  if (top === 'web') return `web/${folder.replace(/\.[jt]s$/, '')}`;
  if (top === 'src' && folder === 'lab') return `lab/${part.replace(/\.[jt]s$/, '')}`;
  return folderOf(path);
}

/** Groups of folders, and of parts of `lab` and `web`, that import each other in a circle. */
export function cycles(imports: readonly Import[]): string[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [importer, imported] = [partOf(from), partOf(to)];
    if (importer === undefined || imported === undefined || importer === imported) continue;
    edges.set(importer, (edges.get(importer) ?? new Set()).add(imported));
  }
  const reachable = new Map([...edges.keys()].map((part) => [part, reach(part, edges)]));
  return [...edges].flatMap(([part, next]) =>
    [...next].filter((other) => reachable.get(other)?.has(part)).map((other) => `${part} → ${other}`),
  );
}

function reach(start: string, edges: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const seen = new Set<string>();
  const open = [start];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    for (const next of edges.get(part) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return seen;
}

/** Imports between files of the contract that are left at run time: k6 could not follow them. */
export function runtimeImports(root: string, folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((file) => SOURCE.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, folder, file), 'utf8');
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
      return source.statements.filter(isRuntimeImport).map(() => relative(root, join(root, folder, file)));
    });
}

function isRuntimeImport(statement: ts.Statement): boolean {
  if (ts.isImportDeclaration(statement))
    return statement.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword;
  return (
    ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined && !statement.isTypeOnly
  );
}

/** The layers as docs/architecture.md draws them, the top one first. */
export function drawing(): string {
  const row = (names: readonly string[]) => names.join('   ');
  const [top = [], ...below] = [...LAYERS].reverse();
  return [row(top), ...below.flatMap((names) => ['  ↓', row(names)])].join('\n');
}
