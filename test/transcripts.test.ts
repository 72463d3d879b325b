import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../src/lab/paths.js';
import { buy, buyPatiently } from './support/buyers.js';
import { isHere } from './support/optional-servers.js';
import { strategyNames } from './support/strategy-files.js';
import { TestShop } from './support/test-shop.js';
import { transcript } from './support/transcript.js';

const FOLDER = join(ROOT, 'docs/transcripts');
const UPDATE = process.env['UPDATE_TRANSCRIPTS'] === '1';

let shop: TestShop;
beforeAll(async () => {
  // One connection, opened before the recording, and no reconciler, so that the transcript has only the deduction.
  shop = await TestShop.open({ instances: 1, env: { DATABASE_POOL: '1', REDIS_ORDER_TIMEOUT_MS: '600000' } });
  mkdirSync(FOLDER, { recursive: true });
});
afterAll(() => shop.close());

test.each(strategyNames().filter(isHere))('%s sends the commands of its transcript', async (strategy) => {
  await shop.reset(1, 100);
  await buyPatiently(shop, { strategy });
  await shop.settledAudit(1);
  const sent = await transcript(shop, () => buy(shop, { strategy, quantity: 2 }));
  const servers = sent.some((line) => line.startsWith('-- redis>'))
    ? 'Redis and the database'
    : 'the database';
  const text = [
    `-- ${strategy}: what one deduction of 2 from a stock of 99 sends to ${servers}.`,
    '-- Recorded from the server by `npm run transcripts`, and compared with it by `npm test`.',
    '',
    ...sent,
    '',
  ].join('\n');
  const path = join(FOLDER, `${strategy}.sql`);
  if (UPDATE) writeFileSync(path, text);
  expect(text).toBe(
    existsSync(path) ? readFileSync(path, 'utf8') : `missing: npm run transcripts writes ${path}`,
  );
});

test('every transcript belongs to a strategy', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(strategyNames().map((name) => `${name}.sql`));
});
