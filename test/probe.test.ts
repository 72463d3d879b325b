import { Command } from './support/command.js';
import { HangingShop } from './support/planted-shops.js';
import { TestShop } from './support/test-shop.js';

/** The command as a user runs it, with this service as its target: three instances behind the gateway. */
let shop: TestShop;

beforeAll(async () => {
  shop = await TestShop.open({ instances: 3 });
});
afterAll(() => shop.close());

function probe(strategy: string, ...more: string[]): Command {
  const goods = `${shop.url}/goods/1`;
  return Command.run([
    ...['probe', '--header', `authorization: Bearer ${shop.shop.adminToken}`, '--receipt', '$.orderId'],
    ...['--buy', `POST ${goods}/deduct/${strategy} {"quantity":1}`],
    ...['--stock', `GET ${goods}/audit $.remaining`, '--reset', `POST ${goods}/reset {"inventory":10}`],
    ...more,
  ]);
}

test.each([
  ['no-lock', 1, 'OVERSOLD: '],
  ['for-update', 0, 'HELD: '],
])('the probe of %s exits with %i', async (strategy, code, says) => {
  const command = probe(strategy, '--buyers', '30', '--rounds', '10');
  expect([await command.ended, command.said]).toEqual([code, expect.stringContaining(says)]);
  expect(command.said).not.toContain(shop.shop.adminToken);
});

test.each<[string, string[], number, string]>([
  ['a strategy that does not exist', ['no-such'], 3, 'status 404'],
  ['no purchase', ['no-lock', '--buy', 'x'], 2, '--buy must begin with a method'],
  ['another machine', ['no-lock', '--buy', 'POST http://192.0.2.1/buy'], 2, '--allow-host 192.0.2.1'],
])('with %s it exits with its code and says why', async (_, [strategy = '', ...more], code, why) => {
  const command = probe(strategy, '--rounds', '1', ...more);
  expect([await command.ended, command.said]).toEqual([code, expect.stringContaining(why)]);
  expect(command.said).not.toContain('    at ');
});

test('Ctrl-C ends it with 130', async () => {
  const hanging = await new HangingShop().listen();
  hanging.stock = 10;
  const command = Command.run(['probe', '--buy', `POST ${hanging.url}/buy`, '--supply', '5']);
  while (!hanging.asked.includes('POST /buy')) await new Promise((resolve) => setTimeout(resolve, 10));
  command.child.kill('SIGINT');
  expect([await command.ended, command.said]).toEqual([130, expect.stringContaining('Interrupted')]);
  await hanging.close();
});
