import {
  closeSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';

/** A log and its predecessor have at most this size each, plus what is written between two checks. */
export const LOG_LIMIT_BYTES = 4 * 1024 * 1024;
const LOOK_EVERY_MS = 1000;
const CHUNK = 64 * 1024;

/** Limits the size of a log that a process writes to. Returns a function that stops the checks. */
export function keepBounded(logFile: string, limit = LOG_LIMIT_BYTES): () => void {
  const timer = setInterval(() => {
    rotate(logFile, limit);
  }, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
  };
}

/**
 * Moves the content of a log that has grown too large to `<log>.1`, and replaces the earlier one. The process has the file
 * open for appending and cannot be made to open another, so the newest part is copied, and then the file is truncated.
 * Lines that are written during the copy are also copied. Only a line that is written between the last read and the
 * truncation is lost.
 */
export function rotate(logFile: string, limit: number): void {
  try {
    if (statSync(logFile).size <= limit) return;
    copyAndEmpty(logFile, limit);
  } catch {
    // The disk is full or the file was removed: try again at the next check.
    rmSync(`${logFile}.new`, { force: true });
  }
}

function copyAndEmpty(logFile: string, limit: number): void {
  const log = openSync(logFile, 'r+');
  const copy = openSync(`${logFile}.new`, 'w', 0o600);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK);
    let position = startOfLine(log, statSync(logFile).size - limit);
    for (;;) {
      const read = readSync(log, chunk, 0, CHUNK, position);
      if (read === 0) break;
      writeSync(copy, chunk, 0, read);
      position += read;
    }
    ftruncateSync(log);
  } finally {
    closeSync(copy);
    closeSync(log);
  }
  renameSync(`${logFile}.new`, `${logFile}.1`);
}

/** The first start of a line at or after this position, so that the copy does not begin with a partial line. */
function startOfLine(log: number, position: number): number {
  if (position <= 0) return 0;
  const chunk = Buffer.alloc(CHUNK);
  const end = chunk.subarray(0, readSync(log, chunk, 0, CHUNK, position - 1)).indexOf('\n');
  return end === -1 ? position : position + end;
}
