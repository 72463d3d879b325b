import { UsageError } from '../errors.js';

/** The name of a strategy in the URL. */
export const NAME = /^[a-z][a-z0-9-]{1,39}$/;

export function requireName(name: string): void {
  if (NAME.test(name) && !name.endsWith('-')) return;
  throw new UsageError(
    `${JSON.stringify(name)} cannot be the name of a strategy: write 2 to 40 small letters, digits and dashes, such as my-strategy.`,
  );
}
