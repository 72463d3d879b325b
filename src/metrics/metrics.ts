import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Database } from '../database/database.js';
import { LockstockError } from '../errors.js';

/** From half a millisecond to the longest wait that is allowed. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Sold {
  readonly replayed: boolean;
  readonly receipt: readonly { readonly waitedMs: number }[];
}

@Injectable()
export class Metrics {
  readonly registry = new Registry();

  private readonly deductions = new Counter({
    name: 'lockstock_deductions_total',
    help: 'Deductions by strategy and outcome (sold, replayed, or the type of the problem)',
    labelNames: ['strategy', 'outcome'],
    registers: [this.registry],
  });

  private readonly duration = new Histogram({
    name: 'lockstock_deduction_duration_seconds',
    help: 'Time from the request to its outcome',
    labelNames: ['strategy', 'outcome'],
    buckets: SECONDS,
    registers: [this.registry],
  });

  private readonly wait = new Histogram({
    name: 'lockstock_lock_wait_seconds',
    help: 'Time that a deduction that sold had waited for its lock',
    labelNames: ['strategy'],
    buckets: SECONDS,
    registers: [this.registry],
  });

  readonly goodsReads = new Counter({
    name: 'lockstock_goods_reads_total',
    help: 'Reads of single goods, by where the answer came from',
    labelNames: ['source'],
    registers: [this.registry],
  });

  private readonly inFlight = new Gauge({
    name: 'lockstock_deductions_in_flight',
    help: 'Deductions that are waiting for their lock or holding it',
    labelNames: ['strategy'],
    registers: [this.registry],
  });

  constructor(database: Database) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'lockstock_pool_connections',
      help: 'Database connections of this instance: its limit, those in use, and requests that wait for one',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        const { size, inUse, waiting } = database.pool;
        this.set({ state: 'limit' }, size);
        this.set({ state: 'in-use' }, inUse);
        this.set({ state: 'waiting' }, waiting);
      },
    });
  }

  /** Counts and times one deduction. `strategy` is the name of a strategy that exists, never a client's text. */
  async observe<T extends Sold>(strategy: string, work: () => Promise<T>): Promise<T> {
    const stop = this.duration.startTimer({ strategy });
    this.inFlight.inc({ strategy });
    let outcome = 'error';
    try {
      const answer = await work();
      outcome = answer.replayed ? 'replayed' : 'sold';
      if (!answer.replayed) this.wait.observe({ strategy }, (answer.receipt[0]?.waitedMs ?? 0) / 1000);
      return answer;
    } catch (error) {
      if (error instanceof LockstockError || hasType(error)) outcome = error.type;
      throw error;
    } finally {
      this.inFlight.dec({ strategy });
      this.deductions.inc({ strategy, outcome });
      stop({ outcome });
    }
  }
}

/** The lock library has error classes of its own. */
function hasType(error: unknown): error is Error & { readonly type: string } {
  return error instanceof Error && 'type' in error && typeof error.type === 'string';
}
