import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Evidence } from '../../contract/evidence.js';
import { formatEvidence, parseEvidence } from './evidence-file.js';

/** The last evidence of each experiment, one file each. */
export class EvidenceStore {
  private readonly kept: Map<string, Evidence>;

  /** Evidence in `folder` replaces what was `shipped` with the project. */
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
    const path = join(this.folder, `${evidence.id}.json`);
    // Renamed when complete, so that a reader never finds half a file.
    writeFileSync(`${path}.new`, formatEvidence(evidence));
    renameSync(`${path}.new`, path);
    this.kept.set(evidence.id, evidence);
  }
}

function readAll(folder: string): Evidence[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return names.flatMap((name) => parseEvidence(readFileSync(join(folder, name), 'utf8')) ?? []);
}
