import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunRecord, type RunSummary } from '../../../contract/lab-runs.js';
import { summaryOf } from './record.js';

const KEPT = 200;
const FILE = /^(\d{8}-\d{6}-[0-9a-f]{6})\.json$/;

/** The runs of a data folder, one file each. File names come from this class only, never from a request. */
export class RunHistory {
  private readonly summaries = new Map<string, RunSummary>();

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder).sort()) {
      const id = FILE.exec(name)?.[1];
      const record = id === undefined ? undefined : this.read(id);
      if (record?.state === 'running') {
        // The lab was killed during the run.
        this.save({ ...record, state: 'failed', error: 'The lab was stopped during the run.' });
      } else if (record) {
        this.summaries.set(record.id, summaryOf(record));
      }
    }
    this.forgetOldest();
  }

  /** Newest first. */
  list(): RunSummary[] {
    return [...this.summaries.values()].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
  }

  get(id: string): RunRecord | undefined {
    return this.summaries.has(id) ? this.read(id) : undefined;
  }

  save(record: RunRecord): void {
    const path = this.fileOf(record.id);
    // Written to another file and renamed: a reader finds the old file or the new one, never a part of one.
    writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    this.summaries.set(record.id, summaryOf(record));
    this.forgetOldest();
  }

  private forgetOldest(): void {
    for (const { id } of this.list().slice(KEPT)) {
      this.summaries.delete(id);
      rmSync(this.fileOf(id), { force: true });
    }
  }

  private read(id: string): RunRecord | undefined {
    try {
      return JSON.parse(readFileSync(this.fileOf(id), 'utf8')) as RunRecord;
    } catch {
      return undefined;
    }
  }

  private fileOf(id: string): string {
    return join(this.folder, `${id}.json`);
  }
}
