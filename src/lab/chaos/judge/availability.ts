import { type Health } from '../../../contract/health.js';
import { type Call, isSell, type SellCall } from '../history.js';
import { type IndexedEvidence } from './indexed-evidence.js';
import { type Violation } from './violation.js';

/** Refusals for want of what the goods share. Others have causes of their own, such as a reset or the load of the whole instance. */
const FOR_WANT_OF = /for a database connection of|requests in flight on/i;

/** Without faults, buyers of one goods do not keep others from buying another one, and health is not wrong about the servers. */
export function availability(index: IndexedEvidence): Violation[] {
  if (index.faulty) return [];
  return [...index.sells.flatMap((call) => crowdedOut(index, call)), ...falseHealth(index)];
}

/** A goods that only one call is about always gets a connection. */
function crowdedOut(index: IndexedEvidence, call: SellCall): Violation[] {
  const { detail = '' } = (call.answer?.body ?? {}) as { detail?: string };
  if (call.answer?.type !== 'busy' || !FOR_WANT_OF.test(detail)) return [];
  const { items, strategy } = call.operation;
  const isAboutThem = (other: Call) =>
    isSell(other) &&
    other.operation.items.some((item) => items.some(({ goodsId }) => goodsId === item.goodsId));
  const beside = index.evidence.calls.some(
    (other) => other !== call && other.start <= call.end && other.end >= call.start && isAboutThem(other),
  );
  if (beside) return [];
  const [first] = items;
  const sentence =
    `Call #${call.n} wanted goods ${first?.goodsId ?? ''} by ${strategy} and was refused as busy, ` +
    'although no other call was about these goods at that time.';
  return [{ promise: 'availability', sentence, goodsId: first?.goodsId, calls: [call] }];
}

function falseHealth({ evidence: { calls } }: IndexedEvidence): Violation[] {
  return calls
    .filter(({ operation }) => operation.do === 'health')
    .flatMap((call): Violation[] => {
      const { engines = {} } = (call.answer?.body ?? {}) as Partial<Health>;
      const down = Object.entries(engines).flatMap(([name, state]) => (state === 'down' ? [name] : []));
      if (down.length === 0) return [];
      const sentence = `Call #${call.n} was told that ${down.join(' and ')} is down, although there was no fault.`;
      return [{ promise: 'availability', sentence, calls: [call] }];
    });
}
