import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;

/**
 * Writes the lines of the log. A line that cannot be written, because the disk is full or the reader is gone, is dropped
 * and counted; the instance must keep running. With pino's own output it would not: pino reports the error as an event
 * without a listener, and Node then ends the process.
 */
export class LogOutput {
  private dropped = 0;

  constructor(private readonly descriptor = STANDARD_OUTPUT) {}

  write(line: string): void {
    try {
      // The line before may have been cut off in the middle: this one begins on a line of its own.
      if (this.dropped > 0)
        this.writeAll(`\n${JSON.stringify({ level: 40, time: Date.now(), msg: this.gap })}\n`);
      this.dropped = 0;
      this.writeAll(line);
    } catch {
      this.dropped += 1;
    }
  }

  private get gap(): string {
    return `${this.dropped} lines of this log could not be written and are missing here`;
  }

  private writeAll(text: string): void {
    let rest = Buffer.from(text);
    while (rest.length > 0) rest = rest.subarray(writeSync(this.descriptor, rest));
  }
}
