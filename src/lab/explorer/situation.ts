import { type SessionBuyer, type SessionCommand, type SessionMove } from '../../contract/lab-sessions.js';
import { type PurchaseResult, tell } from '../test-bed/purchase.js';
import { CRASH, EXPIRY, LOSS } from './injected-faults.js';
import { type Choice } from './model.js';
import { tokenOf } from './schedule.js';
import { type Rest } from './settling.js';
import { type BuyerCommand } from './stepped-buyer.js';

/** What a buyer does between two steps. */
export interface BuyerSituation {
  readonly name: string;
  readonly instance: string;
  readonly rest: Rest;
  /** The commands that it is about to send. */
  readonly next: readonly BuyerCommand[];
  /** The commands that wait in a server. */
  readonly unanswered: readonly BuyerCommand[];
  readonly result: PurchaseResult | undefined;
}

export function buyersOf(buyers: readonly BuyerSituation[], choices: readonly Choice[]): SessionBuyer[] {
  return buyers.map(({ name, instance, rest, unanswered, result }) => ({
    name,
    instance,
    doing: rest === 'held' && !choices.some(({ actor }) => actor === name) ? 'polls' : rest,
    waitsFor: result ? [] : unanswered.map(commandOf),
    ...(result && { told: tell(result) }),
  }));
}

export function movesOf(buyers: readonly BuyerSituation[], choices: readonly Choice[]): SessionMove[] {
  return choices.flatMap((choice): SessionMove[] => {
    const id = tokenOf(choice, choices);
    if (choice.fault) return [{ id, kind: 'fault', ...faultOf(choice) }];
    const buyer = buyers.find(({ name }) => name === choice.actor);
    const command = buyer?.next.find((one) => one.choice.id === choice.id);
    return command ? [{ id, kind: 'step', buyer: choice.actor, ...commandOf(command) }] : [];
  });
}

function commandOf({ server, text, values, source }: BuyerCommand): SessionCommand {
  return { server, text, values, ...(source && { source }) };
}

function faultOf({ id, of: buyer = '' }: Choice): { readonly buyer: string; readonly text: string } {
  const [what = ''] = id.split(' ');
  const texts: Readonly<Record<string, string>> = {
    [EXPIRY]: `the lease of ${buyer} ends while its process is paused`,
    [CRASH]: `the process of ${buyer} is killed`,
    [LOSS]: `${buyer} sends its next command, and the answer is lost`,
  };
  return { buyer, text: texts[what] ?? id };
}
