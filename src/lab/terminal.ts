const colours = process.stdout.isTTY && !process.env['NO_COLOR'];
const paint = (code: number) => (text: string) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);

/** Output of the commands. Progress goes to standard error, results to standard output. */
export const terminal = {
  bold: paint(1),
  dim: paint(2),
  red: paint(31),
  green: paint(32),

  print(text: string): void {
    process.stdout.write(`${text}\n`);
  },

  say(message: string): void {
    process.stderr.write(`lockstock: ${message}\n`);
  },

  warn(message: string): void {
    process.stderr.write(`lockstock: ${paint(33)(message)}\n`);
  },

  /** Replaces the current line, on a terminal only. The empty string clears it. */
  rewrite(line: string): void {
    if (!process.stderr.isTTY) return;
    process.stderr.write(`\r\x1b[2K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  },

  /** Prints what is done, and then how long it took. */
  async step<T>(what: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    this.say(`${what} …`);
    const result = await work();
    this.say(`  done in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    return result;
  },
};
