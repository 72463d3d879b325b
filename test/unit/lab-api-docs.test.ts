import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Experiments } from '../../src/lab/api/experiments/experiments.js';
import { experimentRoutes } from '../../src/lab/api/experiments/routes.js';
import { explorationRoutes } from '../../src/lab/api/explorations/routes.js';
import { runRoutes } from '../../src/lab/api/runs/routes.js';
import { type Runs } from '../../src/lab/api/runs/runs.js';
import { sessionRoutes } from '../../src/lab/api/sessions/routes.js';
import { type Sessions } from '../../src/lab/api/sessions/sessions.js';
import { type System, systemRoutes } from '../../src/lab/api/system/system.js';
import { ROOT } from '../../src/lab/paths.js';

test('the README of the lab’s API lists exactly the calls that exist', () => {
  const routes = [
    ...systemRoutes({} as System),
    ...runRoutes({} as Runs),
    ...experimentRoutes({} as Experiments),
    ...explorationRoutes(() => []),
    ...sessionRoutes({} as Sessions),
  ];
  const text = readFileSync(join(ROOT, 'src/lab/api/README.md'), 'utf8');
  const documented = [...text.matchAll(/`((?:GET|POST) \/lab\/[^` ]+)/g)].map(([, call]) => call);
  expect(documented.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
});
