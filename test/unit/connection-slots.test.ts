import { ConnectionSlots } from '../../src/database/connection-slots.js';
import { seeded } from '../../src/lab/chaos/seeded.js';

const PATIENT = { waitMs: 60_000 };

/** As many places as one owner gets before it has to wait. */
async function fill(slots: ConnectionSlots<string>, owner: string): Promise<(() => void)[]> {
  const places: (() => void)[] = [];
  for (;;) {
    const place = await slots.acquire(owner, { waitMs: 1 }).catch(() => undefined);
    if (!place) return places;
    places.push(place);
  }
}

test.each([
  [20, 75, [15, 3, 1, 1]],
  [8, 75, [6, 1, 1]],
  [4, 75, [3, 1]],
  [2, 75, [1, 1]],
  [1, 75, [1]],
  [20, 100, [20]],
  [20, 50, [10, 5, 2, 1, 1, 1]],
])('%i places at %i percent: owners that come one after the other get %j', async (size, percent, got) => {
  const slots = new ConnectionSlots<string>(size, percent, 100);
  for (const [index, places] of got.entries())
    expect(await fill(slots, `owner ${index}`)).toHaveLength(places);
  expect(slots.held).toBe(size);
  expect(await fill(slots, 'one more')).toHaveLength(0);
});

test('the requests of one owner are served in the order in which they came', async () => {
  const slots = new ConnectionSlots<string>(2, 75, 100);
  const place = await slots.acquire('a', PATIENT);
  const served: number[] = [];
  const waiting = [1, 2, 3].map(async (index) => {
    const mine = await slots.acquire('a', PATIENT);
    served.push(index);
    mine();
  });
  place();
  await Promise.all(waiting);
  expect(served).toEqual([1, 2, 3]);
});

test('a full queue refuses at once, and only its own owner', async () => {
  const slots = new ConnectionSlots<string>(2, 75, 1);
  const places = await fill(slots, 'a');
  const waiting = slots.acquire('a', PATIENT);
  await expect(slots.acquire('a', PATIENT)).rejects.toMatchObject({ type: 'busy' });
  const other = await slots.acquire('b', PATIENT);
  for (const place of [...places, other]) place();
  (await waiting)();
  expect([slots.held, slots.waiting]).toEqual([0, 0]);
});

test('in any order of requests, every request is served and no limit is exceeded', async () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = seeded(seed);
    const size = 1 + Math.floor(random() * 9);
    const slots = new ConnectionSlots<number>(size, 1 + Math.floor(random() * 100), 1000);
    let inUse = 0;
    let served = 0;
    const request = async (owner: number) => {
      const abort = new AbortController();
      if (random() < 0.2)
        setImmediate(() => {
          abort.abort(new Error('gone'));
        });
      const place = await slots.acquire(owner, { ...PATIENT, signal: abort.signal }).catch(() => undefined);
      if (!place) return;
      inUse += 1;
      expect(inUse).toBeLessThanOrEqual(size);
      for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) await new Promise(setImmediate);
      inUse -= 1;
      place();
      // A second call has no effect.
      place();
      served += 1;
    };
    const owners = 1 + Math.floor(random() * 5);
    await Promise.all(Array.from({ length: 40 }, () => request(Math.floor(random() * owners))));
    expect(served).toBeGreaterThan(0);
    expect([slots.held, slots.waiting]).toEqual([0, 0]);
  }
});
