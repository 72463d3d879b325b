import { choosePort, freePort, freePorts } from '../../src/lab/ports.js';

const { LOCKSTOCK_PORTS: given } = process.env;
afterEach(() => {
  process.env['LOCKSTOCK_PORTS'] = given;
});

test('free ports are in the configured range, and no port is chosen twice', async () => {
  process.env['LOCKSTOCK_PORTS'] = '32100-32500';
  const ports = [...(await freePorts(20)), await freePort(), ...(await freePorts(20))];
  expect(new Set(ports).size).toBe(41);
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(32_100);
  expect(Math.max(...ports)).toBeLessThan(32_500);
});

test('a range in which all were given out is said to be exhausted', async () => {
  process.env['LOCKSTOCK_PORTS'] = '32550-32552';
  await freePorts(2);
  await expect(freePort()).rejects.toThrow('No free port was found between 32550 and 32552.');
});

test.each(['', 'any', '20000', '80-90', '30000-20000', '20000-20000', '1024-70000', '-1-5000'])(
  'LOCKSTOCK_PORTS=%s is no range',
  async (range) => {
    process.env['LOCKSTOCK_PORTS'] = range;
    await expect(freePort()).rejects.toThrow('LOCKSTOCK_PORTS must be a range such as 15000-32000');
  },
);

test('the port of the gateway is not chosen again before nginx listens on it', async () => {
  process.env['LOCKSTOCK_PORTS'] = '32560-32561';
  expect(await choosePort(32_560, false)).toBe(32_560);
  await expect(freePort()).rejects.toThrow('No free port was found');
});
