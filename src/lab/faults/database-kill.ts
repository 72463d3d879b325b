import { type Scene } from '../experiments/scene.js';
import { killUntilBack } from './kill.js';

/** kill -9 of the database in the middle of its work; it is started again, and recovers what was committed. */
export async function killDatabase(scene: Scene): Promise<void> {
  const { stage } = scene;
  const pids = await killUntilBack(stage.servers.mariadb);
  scene.recorder.meet({ id: 'mysql', kind: 'mysql', label: 'MySQL' });
  scene.fault('mysql', 'kill -9; it starts again and recovers', 'MySQL killed');
  scene.proveFault(
    'database-kill',
    'it is another process',
    `${pids.old}, then ${pids.new}`,
    pids.new !== pids.old,
  );
  const told = await stage.rows('SELECT 1').then(
    () => 'still there',
    (error: unknown) => (error as Error).message,
  );
  scene.proveFault('database-kill', 'the lab’s own connection to it is broken', told, told !== 'still there');
  await stage.reconnect();
}
