import { UsageError } from '../errors.js';
import { type Faults } from './injected-faults.js';
import { type Choice } from './model.js';

/** A buyer and how often it goes on in a row, one of its connections, or a fault. */
const TOKEN = /^(?:([A-Z])(\d{0,3})|([A-Z]@[\w-]+)|(expire|crash|lose)(?::([A-Z](?:@[\w-]+)?))?)$/;

/** `A A A B` becomes `A3 B`. */
export function scheduleOf(tokens: readonly string[]): string {
  const parts: { readonly token: string; readonly count: number }[] = [];
  for (const token of tokens) {
    const last = parts.at(-1);
    if (last?.token === token && /^[A-Z]$/.test(token))
      parts[parts.length - 1] = { token, count: last.count + 1 };
    else parts.push({ token, count: 1 });
  }
  return parts
    .map(({ token, count }) => (count > 1 ? `${token}${count}` : token.replace(' ', ':')))
    .join(' ');
}

/** The steps of a schedule as a user gives it. */
export function steps(schedule: string): string[] {
  return schedule
    .trim()
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [, actor, count = '', lane, fault, whose] = TOKEN.exec(part) ?? [];
      if (actor !== undefined) return Array.from({ length: count === '' ? 1 : Number(count) }, () => actor);
      if (lane !== undefined) return [lane];
      if (fault !== undefined) return [whose === undefined ? fault : `${fault} ${whose}`];
      throw new UsageError(
        `${JSON.stringify(part)} is not a step of a schedule. Write buyers and how often they go on, such as "A2 B6 A4", and a fault as expire:A, crash:A or lose:A@mysql.`,
      );
    });
}

/** How a schedule names the choice: a buyer with one command to send is named alone. */
export function tokenOf({ id, actor, fault }: Choice, choices: readonly Choice[]): string {
  const isAlone = choices.filter((one) => one.actor === actor && !one.fault).length === 1;
  return fault || !isAlone ? id : actor;
}

/** The faults under which a schedule can contain a step of that name. */
const NEEDED_FOR = new Map([
  ['expire', '--faults expire or --faults expire-late'],
  ['crash', '--faults crash'],
  ['lose', '--faults lost-reply'],
]);

/** Refuses a schedule with a buyer that does not exist, or with a fault that was not asked for. */
export function requirePlayable(schedule: string, buyers: number, faults: Faults): void {
  for (const step of steps(schedule)) {
    const [what = '', whose = step] = step.split(' ');
    const needed = NEEDED_FOR.get(what);
    if (needed !== undefined && faults !== 'any' && !needed.includes(`--faults ${faults}`))
      throw new UsageError(`The schedule has the step ${what}. Add ${needed}.`);
    const names = ['A', 'B', 'C'].slice(0, buyers);
    const isWithoutBuyer = step === what && needed !== undefined;
    if (!isWithoutBuyer && !names.includes(whose.charAt(0)))
      throw new UsageError(
        `The schedule has a step of buyer ${whose.charAt(0)}, but the buyers are ${names.join(' and ')}. Set their number with --buyers.`,
      );
  }
}
