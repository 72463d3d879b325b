import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawSequence } from './diagram.js';
import { type Evidence } from './evidence.js';

/** The last evidence of each experiment, as files that people can open and send on. */
export class EvidenceStore {
  private readonly kept: Map<string, Evidence>;

  /** Newer evidence in `folder` takes the place of what was `shipped` with the project. */
  constructor(
    readonly folder: string,
    shipped?: string,
  ) {
    const found = [...(shipped === undefined ? [] : readAll(shipped)), ...readAll(folder)];
    this.kept = new Map(found.map((evidence) => [evidence.id, evidence]));
  }

  get all(): ReadonlyMap<string, Evidence> {
    return this.kept;
  }

  save(evidence: Evidence): void {
    mkdirSync(this.folder, { recursive: true });
    this.write(`${evidence.id}.json`, `${JSON.stringify(evidence)}\n`);
    this.write(`${evidence.id}.svg`, drawSequence(evidence));
    this.kept.set(evidence.id, evidence);
  }

  /** Beside its place first, so that nobody reads half a file. */
  private write(name: string, text: string): void {
    const path = join(this.folder, name);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }
}

function readAll(folder: string): Evidence[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return names.flatMap((name) => read(join(folder, name)));
}

/** A file that is not evidence, or not any more, is passed over. */
function read(path: string): Evidence[] {
  try {
    const found = JSON.parse(readFileSync(path, 'utf8')) as Partial<Evidence>;
    const whole = typeof found.id === 'string' && Array.isArray(found.steps);
    // Evidence of an earlier release does not say which of its proofs are those of the fault.
    return whole && found.proofs?.every((proof) => 'of' in proof) ? [found as Evidence] : [];
  } catch {
    return [];
  }
}
