import { type DataFolder, type Secrets } from '../data-folder.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { Redis } from './redis.js';

/**
 * The masters that vote in a Redlock: one per port, independent of each other. A master that restarted without the locks it
 * had granted would vote twice, so each keeps an append-only file. (The alternative is to restart it only after the longest
 * lease.)
 */
export function redlockMasters(
  folder: DataFolder,
  { redisPassword, labPassword }: Secrets,
  ports: readonly number[],
  reaper: ProcessReaper,
): Redis[] {
  return ports.map((port, index) => {
    const name = `redlock-${index + 1}`;
    return new Redis({
      name,
      folder: folder.in(name),
      logFile: folder.in(`logs/${name}.log`),
      port,
      servicePassword: redisPassword,
      labPassword,
      reaper,
    });
  });
}
