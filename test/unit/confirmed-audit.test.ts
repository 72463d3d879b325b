import { type Audit } from '../../src/contract/audit.js';
import { ConfirmedAudit } from '../../src/use-cases/confirmed-audit.js';

const GOODS = 1;
const seen = (verdict: Audit['verdict'], runId = 1) => ({ verdict, runId }) as Audit;

/** Prepared snapshots, and the questions to them. */
function audited(...snapshots: Audit[]) {
  const log: string[] = [];
  const audit = new ConfirmedAudit(
    () => {
      log.push('look');
      return Promise.resolve(snapshots.shift() ?? seen('SAFE'));
    },
    () => log.push('loseData'),
  );
  return { verdict: async () => (await audit.of(GOODS)).verdict, log };
}

test('one snapshot is enough for a safe run', async () => {
  const { verdict, log } = audited(seen('SAFE'));
  expect(await verdict()).toBe('SAFE');
  expect(log).toEqual(['look']);
});

test('an accusation that a second count does not repeat is not reported', async () => {
  const { verdict, log } = audited(seen('LEAKED'), seen('SAFE'));
  expect(await verdict()).toBe('SAFE');
  expect(log).toEqual(['look', 'loseData', 'look']);
});

test('a problem in two snapshots is reported, and the second one does not count from the first row again', async () => {
  const { verdict, log } = audited(seen('OVERSOLD'), seen('OVERSOLD'), seen('OVERSOLD'));
  expect([await verdict(), await verdict()]).toEqual(['OVERSOLD', 'OVERSOLD']);
  expect(log).toEqual(['look', 'loseData', 'look', 'look']);
});

test('another verdict and another run are confirmed again', async () => {
  const { verdict, log } = audited(seen('LEAKED'), seen('LEAKED'), seen('OVERSOLD'), seen('SAFE', 1));
  expect([await verdict(), await verdict()]).toEqual(['LEAKED', 'SAFE']);
  const next = audited(seen('LEAKED', 1), seen('LEAKED', 1), seen('LEAKED', 2), seen('SAFE', 2));
  expect([await next.verdict(), await next.verdict()]).toEqual(['LEAKED', 'SAFE']);
  expect(log.length + next.log.length).toBe(12);
});
