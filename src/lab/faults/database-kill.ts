import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { killUntilBack } from './kill.js';

/** kill -9 of the database; its supervisor restarts it, and it recovers the committed data. */
export async function killDatabase(run: ExperimentRun): Promise<void> {
  const { testBed } = run;
  const pids = await killUntilBack(testBed.servers.mariadb);
  run.recorder.addActor({ id: 'mysql', kind: 'mysql', label: 'MySQL' });
  run.fault('mysql', 'kill -9; it restarts and recovers', 'MySQL killed');
  run.proveFault(
    'database-kill',
    'it is a new process',
    `process ${pids.old}, then process ${pids.new}`,
    pids.new !== pids.old,
  );
  const told = await testBed.rows('SELECT 1').then(
    () => 'still connected',
    (error: unknown) => (error as Error).message,
  );
  run.proveFault(
    'database-kill',
    'the lab’s own connection to it is broken',
    told,
    told !== 'still connected',
  );
  await testBed.reconnect();
}
