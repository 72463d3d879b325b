import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayTemplate, ROOT } from '../../src/lab/paths.js';

const template = readFileSync(gatewayTemplate(ROOT), 'utf8');
const compose = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const nginx = compose.slice(compose.indexOf('\n  nginx:'), compose.indexOf('\n  k6:'));

test('compose fills in every name of the gateway’s template, as the lab does', () => {
  const names = new Set([...template.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name = '']) => name));
  expect(names.size).toBeGreaterThan(3);
  const filled = /NGINX_ENVSUBST_FILTER: '\^\(([A-Z_|]+)\)\$\$'/.exec(nginx)?.[1]?.split('|');
  expect(new Set(filled)).toEqual(names);
  // The image itself sets the resolvers.
  for (const name of [...names].filter((one) => one !== 'NGINX_LOCAL_RESOLVERS'))
    expect(nginx).toMatch(new RegExp(`^ +${name}: .`, 'm'));
});

test('no failure ejects an instance, and a POST is never sent twice', () => {
  expect(nginx.match(/server instance-\d:3000 resolve max_fails=0;/g)).toHaveLength(3);
  expect(template.match(/^\s*proxy_next_upstream .*/gm)).toEqual(['    proxy_next_upstream error timeout;']);
});
