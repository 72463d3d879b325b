import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const compose = read('docker-compose.yml');

test('every base image is pinned by version and digest', () => {
  const named = [
    ...[...compose.matchAll(/^ +image: (\S+)$/gm)].map(([, image = '']) => image),
    ...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image),
  ].filter((image) => image !== 'lockstock');
  expect(named.length).toBeGreaterThan(6);
  for (const image of named) expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
});

test('every container has a limit of memory and processes', () => {
  const hardened = /x-hardened: &hardened\n(?: .*\n)+/.exec(compose)?.[0] ?? '';
  expect(hardened).toMatch(/^ {2}mem_limit: \d+[mg]$/m);
  expect(hardened).toMatch(/^ {2}pids_limit: \d+$/m);
  const services = compose.slice(compose.indexOf('\nservices:'), compose.indexOf('\nnetworks:'));
  const bodies = services.split(/^ {2}(?=[\w-]+:$)/m).slice(1);
  expect(bodies.length).toBeGreaterThan(13);
  // By the shared settings, directly or through those of Redis, of its masters, or of an instance.
  for (const body of bodies)
    expect(body).toMatch(/<<: (\[\*hardened, .*\]|\*(hardened|redis|redlock|instance))$/m);
  for (const shared of ['redis', 'redlock', 'instance'])
    expect(compose).toMatch(
      new RegExp(`&${shared}\\n  <<: (\\[\\*hardened, .*\\]|\\*(hardened|redis))$`, 'm'),
    );
});
