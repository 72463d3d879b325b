import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../clock.js';

const BEAT_MS = 20;
/** What a beat may take on a machine that does not stall. */
const LATE_MS = 30;

/**
 * Measures by a heartbeat for how long this process or its servers stall. A server may stall without this process: a Redis
 * that syncs its file before it answers waits for the disk.
 */
export class Stalls {
  private lostMs = 0;
  private beganAt = now();
  private stopped = false;

  constructor(private readonly ping: () => Promise<unknown>) {
    void this.beat();
  }

  /** Since the start, the beat under way included. */
  get ms(): number {
    return this.lostMs + this.late();
  }

  stop(): void {
    this.stopped = true;
  }

  private async beat(): Promise<void> {
    while (!this.stopped) {
      this.beganAt = now();
      await this.ping().catch(() => undefined);
      await sleep(BEAT_MS);
      this.lostMs += this.late();
    }
    this.beganAt = Infinity;
  }

  private late(): number {
    const late = now() - this.beganAt - BEAT_MS;
    return late > LATE_MS ? late : 0;
  }
}
