import { type Sample } from '../../contract/lab-runs.js';
import { milliseconds, whole } from '../report/numbers.js';
import { terminal } from '../terminal.js';

/** One line that is updated on a terminal. Without a terminal nothing is printed. */
export class ProgressLine {
  constructor(private readonly purchases: number) {}

  show({ strategy, stock, sold, soldPerSecond, p99, outcomes }: Sample): void {
    const settled = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    const done = Math.floor((100 * settled) / this.purchases);
    terminal.rewrite(
      `${strategy}  ${String(done).padStart(3)} %  stock ${whole(stock)}  sold ${whole(sold)}  ` +
        `${whole(soldPerSecond)}/s  p99 ${milliseconds(p99)} ms`,
    );
  }

  end(): void {
    terminal.rewrite('');
  }
}
