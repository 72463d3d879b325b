import { type CheckpointSource } from './checkpoint-protocol.js';

/**
 * Whose line says most about a command, first to last: the strategy's own; what strategies share; what only sends it; and
 * at last the use case, which calls every strategy.
 */
const TELLING: readonly RegExp[] = [
  /\/src\/(?:strategies\/(?!support\/)|specimens\/)/,
  /\/src\/(?:redis-stock|stock|strategies\/support)\//,
  /\/src\/(?:database|locks|coordination)\/(?!sql\.ts|(?:\w+\/)?(?:observed-)?calls\.ts)/,
  /\/src\/use-cases\//,
];

/** The line that sent a command: the strategy's own where it is on the stack. */
export function callerOfCommand(stack = ''): CheckpointSource | undefined {
  const lines = stack.split('\n');
  const line = TELLING.map((pattern) => lines.find((one) => pattern.test(one))).find(
    (found) => found !== undefined,
  );
  const place = /.*\/(src\/[^\s():]+\.ts):(\d+)/.exec(line ?? '');
  if (!place) return undefined;
  const symbol = /at (?:async )?([\w$.]+) \(/.exec(line ?? '')?.[1];
  return { file: place[1] ?? '', line: Number(place[2]), ...(symbol !== undefined && { symbol }) };
}
