import { type DataFolder, type Secrets } from '../data-folder.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { Redis } from './redis.js';

/**
 * The masters that vote in a Redlock: as many as there are ports, and none knows of another. A master that came back
 * without the locks it had granted would vote twice, so each needs the file that every Redis of the lab keeps. (The
 * other way is to stay away for the longest lease.)
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
