import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckpointName } from '../../src/checkpoints/checkpoint.js';
import {
  type Arrival,
  type ObservedBuyer,
  CheckpointServer,
  type CheckpointAction,
} from '../../src/lab/test-bed/checkpoint-server.js';
import { buy, type Outcome, type Purchase } from './buyers.js';
import { TestShop, type TestShopOptions } from './test-shop.js';

const MOST_TRIES = 20;
const RETRY_AFTER_MS = 250;

export interface HoldOptions {
  /** The index of the instance to buy at. */
  readonly instance?: number;
  /** Which arrival at the checkpoint counts, for a purchase that passes it several times. */
  readonly visit?: number;
}

/** A purchase that stops at a checkpoint until it is released. */
export class HeldBuyer implements ObservedBuyer {
  /** Resolves when the purchase is held at its checkpoint, or was answered without reaching it. */
  readonly halted: Promise<void>;
  readonly outcome: Promise<Outcome>;
  private halt: () => void = () => undefined;
  private held: ((action: CheckpointAction) => void) | undefined;
  private released = false;

  constructor(
    private readonly place: CheckpointName,
    private visits: number,
    start: (buyer: HeldBuyer) => Promise<Outcome>,
  ) {
    this.halted = new Promise((resolve) => (this.halt = resolve));
    this.outcome = start(this).finally(this.halt);
  }

  get isHeld(): boolean {
    return this.held !== undefined;
  }

  arrived({ name }: Arrival, answer: (action: CheckpointAction) => void): void {
    if (name === this.place) this.visits -= 1;
    if (name !== this.place || this.visits !== 0 || this.released) {
      answer({ do: 'go' });
      return;
    }
    this.held = answer;
    this.halt();
  }

  queried(): void {
    // Only the checkpoints matter here.
  }

  becameIdle(): void {
    // Only the checkpoints matter here.
  }

  /** Continues, and resolves with the outcome for the buyer. */
  release(): Promise<Outcome> {
    this.released = true;
    this.held?.({ do: 'go' });
    this.held = undefined;
    return this.outcome;
  }
}

/** A shop whose checkpoints are armed, with the specimens, and the buyers that a test stops in it. */
export class HeldBuyers {
  private readonly buyers: HeldBuyer[] = [];

  private constructor(
    readonly shop: TestShop,
    private readonly checkpoints: CheckpointServer,
  ) {}

  static async open({ env, ...options }: TestShopOptions): Promise<HeldBuyers> {
    const checkpoints = await CheckpointServer.open();
    try {
      const shop = await TestShop.open({ ...options, env: { CHECKPOINTS: checkpoints.address, ...env } });
      return new HeldBuyers(shop, checkpoints);
    } catch (error) {
      await checkpoints.close();
      throw error;
    }
  }

  /** Starts a purchase at an instance and waits until it is held at `place`. Retries when a busy instance answers 503. */
  async hold(place: CheckpointName, purchase: Purchase, options: HoldOptions = {}): Promise<HeldBuyer> {
    for (let tries = 1; ; tries += 1) {
      const buyer = this.start(place, purchase, options);
      await buyer.halted;
      if (buyer.isHeld) return buyer;
      const outcome = await buyer.outcome;
      if (tries === MOST_TRIES || outcome.kind !== 'refused' || outcome.status !== 503) {
        throw new Error(`${purchase.strategy} never came to ${place}: ${JSON.stringify(outcome)}`);
      }
      await sleep(RETRY_AFTER_MS);
    }
  }

  /** The same without waiting, for a purchase that has to wait for another one first. */
  start(place: CheckpointName, purchase: Purchase, { instance = 0, visit = 1 }: HoldOptions = {}): HeldBuyer {
    const name = `buyer ${this.buyers.length + 1}`;
    const at = this.shop.shop.instanceUrls[instance] ?? '';
    const held = new HeldBuyer(place, visit, (buyer) => {
      this.checkpoints.observe(name, buyer);
      return buy(this.shop, { ...purchase, at, buyer: name });
    });
    this.buyers.push(held);
    return held;
  }

  /** Releases the purchases that a failed test has left at a checkpoint. Otherwise the instances could not stop. */
  async close(): Promise<void> {
    await Promise.all(this.buyers.map((buyer) => buyer.release()));
    await this.shop.close();
    await this.checkpoints.close();
  }
}
