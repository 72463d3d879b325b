import { type CheckpointSource } from './checkpoint-protocol.js';

/** The folders that decide which command is sent; what is below them only sends it. */
const DECIDES = /\/src\/(?:strategies|specimens|stock|redis-stock|use-cases)\//;
/** Shared by all strategies: a line of the strategy itself says more. */
const SHARED = /\/src\/(?:strategies\/support|stock)\//;

/** The line that sent a command: the strategy's own where it is on the stack. */
export function callerOfCommand(stack = ''): CheckpointSource | undefined {
  const lines = stack.split('\n').filter((line) => DECIDES.test(line));
  const line = lines.find((one) => !SHARED.test(one)) ?? lines[0];
  const place = /.*\/(src\/[^\s():]+\.ts):(\d+)/.exec(line ?? '');
  if (!place) return undefined;
  const symbol = /at (?:async )?([\w$.]+) \(/.exec(line ?? '')?.[1];
  return { file: place[1] ?? '', line: Number(place[2]), ...(symbol !== undefined && { symbol }) };
}
