import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type Announcement, type Trial, type TrialResult } from '../../../locks/bench/worker.js';
import { LabError } from '../../errors.js';
import { LOCK_WORKER_PROGRAM } from '../../paths.js';
import { type ProcessReaper } from '../../processes/process-reaper.js';

/** Processes that contend for one lock. */
export class LockWorkers {
  private constructor(
    private readonly processes: readonly ChildProcess[],
    readonly announcement: Announcement,
  ) {}

  static async start(
    count: number,
    env: Readonly<Record<string, string>>,
    reaper: ProcessReaper,
  ): Promise<LockWorkers> {
    const processes = Array.from({ length: count }, () => {
      const child = fork(LOCK_WORKER_PROGRAM, {
        env: { PATH: process.env['PATH'] ?? '', ...env },
        // Other packages may print; their process group is not that of the terminal, so Ctrl-C reaches only the lab.
        ...{ detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
      });
      if (child.pid !== undefined) reaper.add(child.pid);
      return child;
    });
    const [announcement] = await Promise.all(processes.map((child) => answerOf(child)));
    return new LockWorkers(processes, announcement as Announcement);
  }

  /** The callers are spread over the first `count` processes. */
  async run(trial: Trial, count: number): Promise<TrialResult[]> {
    const shares = Array.from({ length: count }, (_, index) =>
      Math.floor((trial.callers + count - 1 - index) / count),
    );
    const answers = this.processes.slice(0, count).map(async (child, index) => {
      const answer = answerOf(child);
      child.send({ ...trial, callers: shares[index] ?? 0 } satisfies Trial);
      return (await answer) as TrialResult;
    });
    return Promise.all(answers);
  }
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  try {
    const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new LabError('A process of the lock benchmark ended. Run the benchmark again.');
    });
    const [answer] = (await Promise.race([
      once(child, 'message', { signal: ended.signal }),
      exit,
    ])) as unknown[];
    return answer;
  } finally {
    ended.abort();
  }
}
