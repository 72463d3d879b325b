import { type StrategyMetadata } from '../../src/contract/strategy.js';
import { type OpenExplorer } from '../../src/lab/api/sessions/open-session.js';
import { Sessions } from '../../src/lab/api/sessions/sessions.js';
import { closeAll } from '../../src/lab/close-all.js';
import { LabError } from '../../src/lab/errors.js';
import { eventually } from '../support/eventually.js';

/** Sessions whose servers do not start, or do not stop. */
const NO_LOCK = { name: 'no-lock', needs: ['mysql'] } as unknown as StrategyMetadata;
const CONFIG = { strategy: 'no-lock', buyers: 2, stock: 1 };
const reports: string[] = [];
const sessionsWith = (openExplorer: OpenExplorer) =>
  new Sessions(
    () => Promise.resolve([NO_LOCK]),
    (message) => reports.push(message),
    openExplorer,
  );

beforeEach(() => (reports.length = 0));

test('sessions whose servers are still stopping count', async () => {
  let fail = (): void => undefined;
  const gate = new Promise<never>(
    (_, reject) =>
      (fail = () => {
        reject(new LabError('No port is free.'));
      }),
  );
  let starts = 0;
  const sessions = sessionsWith(() => {
    starts += 1;
    return gate;
  });
  const closes: Promise<unknown>[] = [];
  for (let session = 0; session < 2; session += 1) {
    const { id } = await sessions.open(CONFIG);
    closes.push(sessions.close(id));
    expect(sessions.view(id).state).toBe('closed');
  }
  await expect(sessions.open(CONFIG)).rejects.toMatchObject({ type: 'too-many-sessions' });
  expect(starts).toBe(2);
  fail();
  await Promise.all(closes);
  await sessions.open(CONFIG);
  expect(starts).toBe(3);
  await sessions.closeAll();
  await expect(sessions.open(CONFIG)).rejects.toThrow('The lab stops: no session can be opened.');
});

test('servers that do not stop are reported, and the session ends', async () => {
  const sessions = sessionsWith(() =>
    Promise.resolve({
      named: () => {
        throw new LabError('There is no such strategy.');
      },
      session: () => Promise.reject(new Error('not reached')),
      close: () => Promise.reject(new Error('MariaDB does not stop')),
    }),
  );
  const { id } = await sessions.open(CONFIG);
  await eventually('the session has failed', () => sessions.view(id).state === 'failed');
  expect(sessions.view(id).reason).toBe('There is no such strategy.');
  await sessions.closeAll();
  expect(reports).toEqual([expect.stringContaining('MariaDB does not stop')]);
});

test('everything is closed although one step fails', async () => {
  const done: string[] = [];
  const step = (name: string) => () => Promise.resolve(done.push(name));
  const failing = () => Promise.reject(new Error('the proxy'));
  await expect(closeAll([step('instances'), failing, step('servers')])).rejects.toThrow('the proxy');
  expect(done).toEqual(['instances', 'servers']);
});
