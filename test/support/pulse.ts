import { setTimeout as sleep } from 'node:timers/promises';
import { type TestShop } from './test-shop.js';

const BEAT_MS = 20;
/** A purchase waits for the event loops of the test, the gateway and an instance more often than a health check does. */
const CHECKS_PER_PURCHASE = 3;

/**
 * Asks the shop for its health all the time. A health check needs no other server, so its duration is that of the machine
 * itself: a bound of time that allows for it fails when the shop is slow, and not when the machine is.
 */
export class Pulse {
  private readonly checks: { readonly began: number; ended: number }[] = [];
  private stopped = false;
  private readonly done: Promise<void>;

  constructor(shop: TestShop) {
    this.done = this.beat(shop);
  }

  /** Whether what began at `began` (by performance.now()) ends in time now; says by how much it is late. */
  inTime(began: number, withinMs: number): string {
    const took = performance.now() - began;
    const allowed = withinMs + CHECKS_PER_PURCHASE * this.slowestSince(began);
    return took <= allowed ? 'in time' : `after ${Math.round(took)} ms instead of ${Math.round(allowed)} ms`;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.done;
  }

  private slowestSince(began: number): number {
    return Math.max(
      0,
      ...this.checks
        .filter(({ ended }) => ended >= began)
        .map((check) => Math.min(check.ended, performance.now()) - check.began),
    );
  }

  private async beat(shop: TestShop): Promise<void> {
    while (!this.stopped) {
      const check = { began: performance.now(), ended: Infinity };
      this.checks.push(check);
      await fetch(`${shop.url}/health/live`)
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
      check.ended = performance.now();
      await sleep(BEAT_MS);
    }
  }
}
