import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function findRoot(from: string): string {
  return existsSync(join(from, 'package.json')) ? from : findRoot(dirname(from));
}

/** The project's folder, found from the sources and from dist/. */
export const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The default data folder of a lab. */
export const DEFAULT_DATA = join(ROOT, '.lab');

/** The compiled programs that the lab starts. */
export const SERVICE_PROGRAM = serviceProgram(ROOT);
export const MIGRATE_PROGRAM = join(ROOT, 'dist/src/migrate.js');
export const REAPER_PROGRAM = join(ROOT, 'dist/src/lab/processes/reaper-program.js');
/** What the benchmark starts: processes that contend for a lock, and a service that does nothing but answer. */
export const LOCK_WORKER_PROGRAM = join(ROOT, 'dist/src/locks/bench/worker.js');
export const BARE_SERVICE_PROGRAM = join(ROOT, 'dist/src/lab/bench/http/bare-service.js');

/** The service as the project in `root` has compiled it: this version, or another one. */
export function serviceProgram(root: string): string {
  return join(root, 'dist/src/main.js');
}

/** The gateway's configuration, for the lab and for deployments. */
export function gatewayTemplate(root: string): string {
  return join(root, 'deploy/nginx.conf.template');
}

/** The evidence that is part of this version. It can be read without running an experiment. */
export const SHIPPED_EVIDENCE = join(ROOT, 'docs/experiments');
/** The same for explorations. */
export const SHIPPED_EXPLORATIONS = join(ROOT, 'docs/explorations');
