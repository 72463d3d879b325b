import { UsageError } from '../errors.js';

export function compare(args: string[]): Promise<number> {
  return Promise.reject(new UsageError(`not yet: ${args.join(' ')}`));
}
