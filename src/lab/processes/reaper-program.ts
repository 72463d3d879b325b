/**
 * A small process beside the lab. It reads the ids of the lab's children from its standard input. When the input ends, also
 * because the lab was killed with -9, it ends every remaining child and removes the lab's files.
 *
 * Lines: `+ pid startedAt`, `- pid startedAt`, `file path`.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { endAll, type ProcessId } from './proc.js';

const GRACE_MS = 8000;
const children = new Map<string, ProcessId>();
const files: string[] = [];

// It must not end with the terminal of the lab.
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
