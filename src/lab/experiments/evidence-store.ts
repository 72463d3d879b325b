import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawSequence } from './diagram.js';
import { type Evidence } from './evidence.js';

/** The last evidence of each experiment, as files that people can open and send on. */
export class EvidenceStore {
  private readonly kept: Map<string, Evidence>;

  constructor(readonly folder: string) {
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
    this.kept = new Map(names.flatMap((name) => this.read(name)).map((evidence) => [evidence.id, evidence]));
  }

  get all(): ReadonlyMap<string, Evidence> {
    return this.kept;
  }

  save(evidence: Evidence): void {
    mkdirSync(this.folder, { recursive: true });
    this.write(`${evidence.id}.json`, `${JSON.stringify(evidence, null, 2)}\n`);
    this.write(`${evidence.id}.svg`, drawSequence(evidence));
    this.kept.set(evidence.id, evidence);
  }

  /** Beside its place first, so that nobody reads half a file. */
  private write(name: string, text: string): void {
    const path = join(this.folder, name);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }

  /** A file that is not evidence, or not any more, is passed over. */
  private read(name: string): Evidence[] {
    try {
      const found = JSON.parse(readFileSync(join(this.folder, name), 'utf8')) as Partial<Evidence>;
      return typeof found.id === 'string' && Array.isArray(found.steps) ? [found as Evidence] : [];
    } catch {
      return [];
    }
  }
}
