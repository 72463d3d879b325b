import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { killUntilBack } from './kill.js';

/** kill -9 of the database in the middle of its work; it is started again, and recovers what was committed. */
export async function killDatabase(run: ExperimentRun): Promise<void> {
  const { testBed } = run;
  const pids = await killUntilBack(testBed.servers.mariadb);
  run.recorder.addActor({ id: 'mysql', kind: 'mysql', label: 'MySQL' });
  run.fault('mysql', 'kill -9; it starts again and recovers', 'MySQL killed');
  run.proveFault(
    'database-kill',
    'it is another process',
    `${pids.old}, then ${pids.new}`,
    pids.new !== pids.old,
  );
  const told = await testBed.rows('SELECT 1').then(
    () => 'still there',
    (error: unknown) => (error as Error).message,
  );
  run.proveFault('database-kill', 'the lab’s own connection to it is broken', told, told !== 'still there');
  await testBed.reconnect();
}
