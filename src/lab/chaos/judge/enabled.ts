import { type Call, isSell } from '../history.js';
import { type IndexedEvidence } from './indexed-evidence.js';
import { type Violation } from './violation.js';

/** A strategy that is not enabled does not exist for clients: it is not listed, and a purchase by it is answered 404. */
export function enabled(index: IndexedEvidence): Violation[] {
  return index.evidence.calls.flatMap((call): Violation[] => {
    const sentence = soldBy(index, call) ?? listedIn(index, call);
    return sentence === undefined
      ? []
      : [
          {
            promise: 'enabled',
            sentence,
            goodsId: isSell(call) ? call.operation.items[0]?.goodsId : undefined,
            calls: [call],
          },
        ];
  });
}

function soldBy(index: IndexedEvidence, call: Call): string | undefined {
  const { answer } = call;
  if (!isSell(call) || index.isEnabled(call.operation.strategy) || !answer) return undefined;
  if (answer.status === 404 || answer.status === 429 || answer.status >= 502) return undefined;
  const { strategy } = call.operation;
  return `Call #${call.n} (${call.operation.do}) by ${strategy}, which is not enabled, was answered ${answer.status}, not 404.`;
}

function listedIn(index: IndexedEvidence, { n, operation, answer }: Call): string | undefined {
  if (operation.do !== 'strategies' || answer?.status !== 200) return undefined;
  const names = (answer.body as readonly { readonly name: string }[]).map(({ name }) => name);
  const wrong = names.filter((name) => !index.isEnabled(name));
  return wrong.length === 0 ? undefined : `Call #${n} listed ${wrong.join(', ')}, although not enabled.`;
}
