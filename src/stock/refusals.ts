import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { type SoldOut } from '../errors.js';

const REMEMBERED_RUNS = 1000;
const TRIES = 20;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

interface Smallest {
  readonly quantity: number;
  /** Resolves after the first attempt to write it. It never rejects. */
  readonly tried: Promise<void>;
}

/**
 * Remembers the smallest quantity that was refused as sold out in each run, so that the audit can find a false
 * refusal. Only a new smallest one is written, as a line of its own: the service cannot change lines.
 */
@Injectable()
export class Refusals {
  private readonly log = new Logger('Refusals');
  private readonly smallest = new Map<number, Smallest>();

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The client is answered "sold out" whether or not this can be written. A failed write is retried for minutes. */
  record({ runId, wanted }: SoldOut): Promise<void> {
    const known = this.smallest.get(runId);
    if (known && wanted >= known.quantity) return known.tried;
    const tried = this.write(runId, wanted).catch(() => {
      void this.retry(runId, wanted);
    });
    this.smallest.set(runId, { quantity: wanted, tried });
    const [oldest] = this.smallest.keys();
    if (this.smallest.size > REMEMBERED_RUNS && oldest !== undefined) this.smallest.delete(oldest);
    return tried;
  }

  private async write(runId: number, quantity: number): Promise<void> {
    await this.database.connection(
      (sql) =>
        sql.change('INSERT IGNORE INTO refusals (run_id, instance, quantity) VALUES (?, ?, ?)', [
          runId,
          this.settings.instance,
          quantity,
        ]),
      { purpose: 'refusals' },
    );
  }

  private async retry(runId: number, quantity: number): Promise<void> {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
      await sleep(pause, undefined, { ref: false });
      // A smaller refusal of the same run replaces this one, and is written on its own.
      if ((this.smallest.get(runId)?.quantity ?? quantity) < quantity) return;
      if (await this.isWritten(runId, quantity)) return;
    }
    this.log.warn(
      `The refusal of ${quantity} in run ${runId} could not be recorded after ${TRIES} attempts. The audit of that run cannot judge it.`,
    );
  }

  private isWritten(runId: number, quantity: number): Promise<boolean> {
    return this.write(runId, quantity).then(
      () => true,
      () => false,
    );
  }
}
