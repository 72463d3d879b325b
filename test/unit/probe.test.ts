import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../src/lab/errors.js';
import { contentionOf, isContended } from '../../src/lab/probe/contention.js';
import { JsonPath } from '../../src/lab/probe/json-path.js';
import { readOptions } from '../../src/lab/probe/options.js';
import { type ProbeResult, probeShop } from '../../src/lab/probe/probe.js';
import { jsonReport } from '../../src/lab/probe/report.js';
import {
  AnsweringShop,
  CorrectShop,
  HangingShop,
  LeakingShop,
  LyingShop,
  OversellingShop,
  type PlantedShop,
  RepeatingShop,
  SerialShop,
} from '../support/planted-shops.js';

const STOCK = 10;
const never = new AbortController().signal;
let shop: PlantedShop | undefined;
afterEach(async () => {
  await shop?.close();
  shop = undefined;
});

function argumentsFor({ url }: PlantedShop): string[] {
  return [
    ...['--buy', `POST ${url}/buy {"sku":1,"key":"{{id}}"}`, '--stock', `GET ${url}/stock $.left`],
    ...['--reset', `POST ${url}/reset {"stock":${STOCK}}`, '--receipt', '$.order.id', '--timeout', '20'],
  ];
}

async function probed(planted: PlantedShop, ...more: string[]): Promise<ProbeResult> {
  shop = await planted.listen();
  planted.stock = STOCK;
  return probeShop(readOptions([...argumentsFor(shop), ...more]), never, () => undefined);
}

describe('a shop', () => {
  test('that is correct holds', async () => {
    const { verdict, rounds } = await probed(new CorrectShop());
    expect([verdict, rounds.length]).toEqual(['HELD', 5]);
    const sold = rounds[0]?.outcomes.filter(({ kind }) => kind === 'sold');
    expect([sold?.length, rounds[0]?.before, rounds[0]?.after]).toEqual([STOCK, STOCK, 0]);
  });

  test('that oversells is found in the first round', async () => {
    const { verdict, why, rounds } = await probed(new OversellingShop());
    expect([verdict, rounds.length]).toEqual(['OVERSOLD', 1]);
    expect(why).toMatch(/^\d\d units were sold, and there were only 10 in stock/);
  });

  test('that oversells is found by its stock alone, while there is enough for everyone', async () => {
    const { verdict, why } = await probed(new OversellingShop(), '--buyers', '8');
    expect(verdict).toBe('MISCOUNTED');
    expect(why).toContain('8 units were sold, but the stock went from 10 to');
  });

  test('that works on one request at a time is inconclusive', async () => {
    const { verdict, why, rounds } = await probed(new SerialShop(), '--rounds', '2');
    expect(verdict).toBe('INCONCLUSIVE');
    expect(why).toContain('may have worked on one at a time');
    // All of them were in flight: that alone proves nothing.
    expect(rounds[0]?.contention.inFlight).toBeGreaterThan(1);
  });

  test.each<[string, string[], string, string]>([
    ['by its receipts', [], 'MISCOUNTED', 'the stock went from 1000 to 1000'],
    ['by the supply', ['--supply', '5'], 'OVERSOLD', 'there were only 5 by --supply'],
  ])(
    'that lies about its stock is found %s',
    async (_, more, verdict, why) => {
      const result = await probed(new LyingShop(), ...more);
      expect(result).toMatchObject({ verdict, why: expect.stringContaining(why) as string });
    },
    20_000,
  );

  test('that loses units is found', async () => {
    const { verdict, why } = await probed(new LeakingShop());
    expect([verdict, why]).toEqual(['MISCOUNTED', expect.stringContaining('units are lost')]);
  });

  test('that gives two buyers the same receipt is found', async () => {
    const { verdict, why } = await probed(new RepeatingShop());
    expect([verdict, why]).toEqual(['DUPLICATE', 'Several buyers got the receipt "7".']);
  });

  test.each<[string, () => PlantedShop, string[], string]>([
    ['hangs', () => new HangingShop(), ['--timeout', '1', '--rounds', '1'], '20 purchases were not answered'],
    [
      'answers garbage',
      () => new AnsweringShop(200, '<html>'),
      [],
      '20 × status 200 with a body that is not',
    ],
    [
      'redirects to another host',
      () => new AnsweringShop(307, '', { location: 'http://192.0.2.1/buy' }),
      [],
      '20 × status 307 to http://192.0.2.1/buy, not followed',
    ],
    ['refuses everything', () => new AnsweringShop(401, ''), [], '20 × status 401'],
    ['fails', () => new AnsweringShop(500, ''), [], '20 × status 500'],
    ['has no receipts', () => new CorrectShop(), ['--receipt', '$.id'], '10 sales have no receipt at $.id'],
    ['has enough for everyone', () => new CorrectShop(), ['--buyers', '9'], 'nothing tested the last unit'],
    [
      'sells by another sign',
      () => new CorrectShop(),
      ['--sold-when', '$.ok=true', '--rounds', '1'],
      'No answer is a sale',
    ],
  ])('that %s is inconclusive', async (_, planted, more, why) => {
    const result = await probed(planted(), ...more);
    expect(result).toMatchObject({ verdict: 'INCONCLUSIVE', why: expect.stringContaining(why) as string });
  });

  test.each<[string, () => PlantedShop, string]>([
    ['text as its stock', () => new AnsweringShop(200, '{"left":"many"}', {}, '/stock'), 'no whole number'],
    [
      'its stock elsewhere',
      () => new AnsweringShop(302, '', { location: 'http://192.0.2.1/' }, '/stock'),
      'is redirected to http://192.0.2.1/',
    ],
    ['no reset', () => new AnsweringShop(404, '', {}, '/reset'), 'was answered with status 404'],
  ])('that has %s is an error that says so', async (_, planted, why) => {
    await expect(probed(planted())).rejects.toThrow(why);
  });

  test('that is not there is an error that says so', async () => {
    const gone = await new CorrectShop().listen();
    const { url } = gone;
    await gone.close();
    const options = readOptions(['--buy', `POST ${url}/buy`, '--supply', '1']);
    await expect(probeShop(options, never, () => undefined)).rejects.toThrow('Start your service');
  });

  test('without a reset is sold out once, in all rounds together', async () => {
    shop = await new CorrectShop().listen();
    shop.stock = STOCK;
    const args = ['--buy', `POST ${shop.url}/buy`, '--supply', String(STOCK), '--receipt', '$.order.id'];
    const { verdict, rounds } = await probeShop(readOptions(args), never, () => undefined);
    expect([verdict, rounds.length]).toEqual(['HELD', 1]);
  });
});

test('every purchase has an id of its own, and headers reach the shop but not the report', async () => {
  const seen: (string | undefined)[] = [];
  class Watching extends CorrectShop {
    protected override route(...[request, response]: Parameters<CorrectShop['route']>) {
      if (request.url?.startsWith('/buy')) seen.push(request.headers['idempotency-key'] as string);
      return super.route(request, response);
    }
  }
  const options = ['--header', 'Idempotency-Key: secret-{{id}}', '--rounds', '1'];
  const result = await probed(new Watching(), ...options);
  expect([seen.length, new Set(seen).size]).toEqual([20, 20]);
  expect(seen[0]).toMatch(/^secret-[0-9a-f-]{36}$/);
  const report = jsonReport(result, readOptions([...argumentsFor(shop as PlantedShop), ...options]));
  expect(report).not.toContain('secret');
  expect(JSON.parse(report)).toMatchObject({ verdict: 'HELD', rounds: [{ sold: 10, refused: 10 }] });
});

test('Ctrl-C ends a round whose requests hang', async () => {
  shop = await new HangingShop().listen();
  const stop = new AbortController();
  const options = readOptions([...argumentsFor(shop), '--timeout', '60']);
  const running = probeShop(options, stop.signal, () => undefined);
  while (shop.asked.filter((line) => line.endsWith('/buy')).length < 20)
    await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  expect(await running).toMatchObject({ verdict: 'INCONCLUSIVE' });
});

describe('an address', () => {
  const probeAt = (url: string, ...more: string[]) =>
    probeShop(readOptions(['--buy', `POST ${url}`, '--supply', '1', ...more]), never, () => undefined);

  test.each(['http://192.0.2.1:9/buy', 'http://[2001:db8::1]/buy', 'http://0.0.0.0:9/buy'])(
    '%s is called only when it is allowed',
    async (url) => {
      await expect(probeAt(url)).rejects.toThrow(UsageError);
      await expect(probeAt(url)).rejects.toThrow('--allow-host');
    },
  );

  test('that was allowed is called', async () => {
    shop = await new CorrectShop().listen();
    // The name resolves to this machine. The list of allowed hosts is checked first.
    await expect(probeAt(shop.url, '--allow-host', '127.0.0.1')).resolves.toBeDefined();
  });
});

test.each<[string[], string]>([
  [[], '--buy is missing'],
  [['--buy', 'POST http://127.0.0.1/'], 'Neither --stock nor --supply'],
  [['--buy', 'http://127.0.0.1/', '--supply', '1'], 'must begin with a method'],
  [['--buy', 'post http://127.0.0.1/', '--supply', '1'], 'must begin with a method'],
  [['--buy', 'POST ftp://127.0.0.1/', '--supply', '1'], 'http:// or https://'],
  [['--buy', 'POST /buy', '--supply', '1'], 'http:// or https://'],
  [['--buy', 'POST http://a:b@127.0.0.1/', '--supply', '1'], 'password in its address'],
  [['--buy', 'GET http://127.0.0.1/ {}', '--supply', '1'], 'GET request with a body'],
  [['--buy', 'POST http://127.0.0.1/', '--stock', 'GET http://127.0.0.1/'], 'place of the number'],
  [['--buy', 'POST http://127.0.0.1/', '--stock', 'GET http://127.0.0.1/ $..x'], 'not a place'],
  [['--buy', 'POST http://127.0.0.1/', '--supply', '0'], '--supply must be'],
  [['--buy', 'POST http://127.0.0.1/', '--supply', '1', '--buyers', '1'], '--buyers must be'],
  [['--buy', 'POST http://127.0.0.1/', '--supply', '1', '--buyers', '9999'], '--buyers must be'],
  [['--buy', 'POST http://127.0.0.1/', '--supply', '1', '--sold-status', '2x'], '--sold-status must be'],
  [['--buy', 'POST http://127.0.0.1/', '--supply', '1', '--sold-when', 'ok'], '--sold-when must be'],
  [['--buy', 'POST http://127.0.0.1/', '--supply', '1', '--header', 'no colon'], 'not of the form'],
  [['--buy', 'POST http://127.0.0.1/', '--supply', '1', '--header', 'A: b\r\nC: d'], 'not of the form'],
  [['--buy', 'POST http://127.0.0.1/', '--supply', '1', '--header', 'Host: x'], 'cannot set Host'],
  [['--buy', 'POST http://127.0.0.1/', '--supply', '1', '--fast'], '--help'],
])('%j is refused', (args, why) => {
  const read = () => readOptions(args);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(why);
});

test('requests that were answered one after the other, or in the order of a queue, are no contention', () => {
  const span = (sentAt: number, answeredAt: number) => ({ sentAt, answeredAt });
  const apart = contentionOf([span(0, 5), span(6, 9)], []);
  expect([apart, isContended(apart)]).toEqual([{ inFlight: 1, overtaking: 0 }, false]);
  const queue = contentionOf([span(0, 10), span(1, 20), span(2, 30)], [span(1.5, 25)]);
  expect([queue, isContended(queue)]).toEqual([{ inFlight: 3, overtaking: 0 }, false]);
  const together = contentionOf([span(0, 10), span(1, 5)], []);
  expect([together, isContended(together)]).toEqual([{ inFlight: 2, overtaking: 1 }, true]);
  expect(isContended(contentionOf([span(0, 10), span(2, 12)], [span(1, 3)]))).toBe(true);
  // A single buyer that is overtaken by the question for the stock met no other buyer.
  expect(isContended(contentionOf([span(0, 10)], [span(1, 3)]))).toBe(false);
});

test.each<[string, unknown]>([
  ['$', { left: 1, items: [{ stock: 2 }], 'in stock': 3 }],
  ['$.left', 1],
  ['$.items[0].stock', 2],
  ['$["in stock"]', 3],
  ['$.items[1].stock', undefined],
  ['$.left.more', undefined],
  ['$.constructor', undefined],
])('the path %s', (path, value) => {
  const content = { left: 1, items: [{ stock: 2 }], 'in stock': 3 };
  expect(JsonPath.parse('stock', path).in(content)).toEqual(value);
});

test('the workflow in the guide calls the probe with options that exist', () => {
  const guide = readFileSync(join(__dirname, '../../docs/probe.md'), 'utf8');
  const calls = [...guide.replaceAll('\\\n', ' ').matchAll(/lockstock probe +(--[^\n]*)/g)];
  expect(calls.length).toBeGreaterThan(2);
  for (const [, line = ''] of calls) {
    const args = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
      ([, single, double, bare]) => single ?? double ?? bare ?? '',
    );
    expect(() => readOptions(args)).not.toThrow();
  }
});
