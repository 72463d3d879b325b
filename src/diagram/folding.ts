import type { Step } from '../contract/evidence.js';

/** Commands that say nothing about the strategy: the cache of the page, renewals, subscriptions, blocks of order numbers. */
const HOUSEKEEPING: readonly RegExp[] = [
  /: (?:INCR \S+:changes|DEL \S+:page)$/,
  /: EVAL(?:SHA)? \S*-renew\.lua /,
  /: S?(?:UN)?SUBSCRIBE /,
  /: UPDATE order_numbers /,
];
const BEFORE_CACHE = /: MULTI$/;
const AFTER_CACHE = /: EXEC$/;
const LOST_WAKE_UP = /SUBSCRIBE (?:is delayed|arrives)/;
/** A poll is repeated within this many commands. */
const NEAR = 12;

/** The indices of the steps that a reader sees first: without housekeeping, and without retries that get the same answer. */
export function unfolded(steps: readonly Step[]): readonly number[] {
  const aboutSubscriptions = steps.some(({ text }) => LOST_WAKE_UP.test(text));
  const recent: string[] = [];
  return steps.flatMap((step, index) => {
    if (step.kind !== 'query') {
      recent.length = 0;
      return [index];
    }
    const key = `${step.actor} ${step.to ?? ''} ${step.text} → ${step.answer ?? ''}`;
    if (isHousekeeping(steps, index) && !aboutSubscriptions) return [];
    const repeated = recent.includes(key);
    recent.push(key);
    if (recent.length > NEAR) recent.shift();
    return repeated ? [] : [index];
  });
}

function isHousekeeping(steps: readonly Step[], index: number): boolean {
  const text = steps[index]?.text ?? '';
  const cache = (offset: number) => HOUSEKEEPING[0]?.test(steps[index + offset]?.text ?? '') ?? false;
  if (BEFORE_CACHE.test(text)) return cache(1);
  if (AFTER_CACHE.test(text)) return cache(-1);
  return HOUSEKEEPING.some((pattern) => pattern.test(text));
}
