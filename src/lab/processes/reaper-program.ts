/**
 * A small process beside the lab that outlives it. It reads the lab's children from its standard input; when that
 * ends, for whatever reason, kill -9 included, it ends every child that is left and removes the lab's files.
 *
 * Lines: `+ pid startedAt`, `- pid startedAt`, `file path`.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { endAll, type ProcessId } from './proc.js';

const GRACE_MS = 8000;
const children = new Map<string, ProcessId>();
const files: string[] = [];

// It must not go with the terminal that the lab was started from.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [verb = '', first = '', second = ''] = line.split(' ');
  if (verb === '+') children.set(first, { pid: Number(first), startedAt: second });
  if (verb === '-') children.delete(first);
  if (verb === 'file') files.push(line.slice('file '.length));
});
lines.on('close', () => {
  void endAll([...children.values()], GRACE_MS).then(() => {
    for (const file of files) rmSync(file, { recursive: true, force: true });
    process.exit(0);
  });
});
