import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './errors.js';

type Options = NonNullable<ParseArgsConfig['options']>;

/** Reads the options of a command; an unknown option is a usage error. */
export function readArguments<O extends Options>(
  command: string,
  args: string[],
  options: O,
  positionals = false,
) {
  try {
    return parseArgs({ args, options, allowPositionals: positionals });
  } catch (error) {
    const said = error instanceof Error ? (error.message.split('.')[0] ?? '') : '';
    throw new UsageError(`${said}. Run \`lockstock ${command} --help\` for the options.`);
  }
}

/** A whole number within bounds, written in digits. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(
    `--${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`,
  );
}
