import { freePort, freePorts } from '../../src/lab/ports.js';

const { LOCKSTOCK_PORTS: given } = process.env;
afterEach(() => {
  process.env['LOCKSTOCK_PORTS'] = given;
});

test('free ports come from the range that is asked for, and none comes twice', async () => {
  process.env['LOCKSTOCK_PORTS'] = '31500-31900';
  const ports = [...(await freePorts(20)), await freePort(), ...(await freePorts(20))];
  expect(new Set(ports).size).toBe(41);
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(31_500);
  expect(Math.max(...ports)).toBeLessThan(31_900);
});

test('a range in which all were given out is said to be exhausted', async () => {
  process.env['LOCKSTOCK_PORTS'] = '31950-31952';
  await freePorts(2);
  await expect(freePort()).rejects.toThrow('No free port was found between 31950 and 31952.');
});

test.each(['', 'any', '20000', '80-90', '30000-20000', '20000-20000', '1024-70000', '-1-5000'])(
  'LOCKSTOCK_PORTS=%s is no range',
  async (range) => {
    process.env['LOCKSTOCK_PORTS'] = range;
    await expect(freePort()).rejects.toThrow('LOCKSTOCK_PORTS must be a range such as 15000-32000');
  },
);
