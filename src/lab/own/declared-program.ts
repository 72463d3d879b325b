import 'reflect-metadata';
import { pathToFileURL } from 'node:url';
import { type StrategyMetadata } from '../../contract/strategy.js';
import { StrategyMark } from '../../strategies/strategy.js';
import { classesOf } from '../../strategies/support/strategy-classes.js';

// Sends its parent what the strategies in a compiled file declare. A process of its own, because the file may throw, or
// never end. It sends a message because the file may print.
const [file = ''] = process.argv.slice(2);
const classes = await classesOf(pathToFileURL(file));
const declared = classes.map((one) => ({
  metadata: Reflect.getMetadata(StrategyMark.KEY, one) as StrategyMetadata,
  deducts: typeof (one.prototype as { deduct?: unknown }).deduct === 'function',
}));
process.send?.(declared, () => process.exit(0));
