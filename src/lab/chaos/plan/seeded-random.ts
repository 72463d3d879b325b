import { seeded } from '../seeded.js';

/** Random choices that are the same for the same seed. */
export class SeededRandom {
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = seeded(seed);
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.random() * (max - min + 1));
  }

  oneOf<T>(all: readonly T[]): T {
    const chosen = all[this.between(0, all.length - 1)];
    if (chosen === undefined) throw new Error('There is nothing to choose from.');
    return chosen;
  }

  /** One of the names, chosen by weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries<number>(weights) as [K, number][];
    let left = this.random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return this.oneOf(entries.map(([name]) => name));
  }

  shuffled<T>(all: readonly T[]): T[] {
    return all
      .map((one) => ({ one, at: this.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  }
}
