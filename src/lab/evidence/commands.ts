import { type ServerAnswer, answerText } from './answer-text.js';
import { isOccasional } from './coordination-answer.js';
import { isWithoutEffect } from './no-effect.js';
import { answersIn, keyOf } from './replies.js';
import { redlockAttempts } from './redlock-attempts.js';
import { OWNER } from './stable-text.js';
import { type TraceEntry } from './trace.js';

/** Renewals of a lease come by the clock, so their number varies. */
const RENEWALS = /: EVAL(SHA)? \S*renew\.lua /;
/** An instance reserves order numbers in blocks, so only some sales do it. */
const NUMBERS = /: UPDATE order_numbers /;
/** A waiter subscribes only if the lock is still held at that moment, and if no earlier waiter has subscribed. */
const SUBSCRIBE = /: (UN)?SUBSCRIBE /;
/** A release that was refused by some masters is repeated in the background on all of them. */
const WITHDRAWN = / redlock-unlock\.lua /;
/** Every sale empties the cached page of its goods, at any time after COMMIT. */
const CACHE = [/: MULTI$/, /: INCR \S+:changes$/, /: DEL \S+:page$/, /: EXEC$/];

/**
 * The commands of each request without those that vary from run to run: renewals, order numbers, subscriptions, cache
 * updates, moves of the stock, commands after the answer, earlier attempts, and repetitions. A request that polls for a lock
 * sends the same command again and again, so one of them is kept between two of its checkpoints.
 */
export function withoutNoise(trace: readonly TraceEntry[]): TraceEntry[] {
  const dropped = new Set<TraceEntry>();
  const answers = answersIn(trace);
  // Unless the experiment is about them.
  const keepsSubscriptions = trace.some(
    (entry) => entry.type === 'event' && entry.name === 'SUBSCRIBE delayed',
  );
  for (const by of new Set(trace.map((entry) => entry.by))) {
    const own = trace.filter((entry) => entry.by === by);
    for (const entry of [...occasional(own, keepsSubscriptions), ...cacheUpdates(own), ...afterAnswer(own)])
      dropped.add(entry);
    for (const entry of atCoordination(own, answers)) dropped.add(entry);
    for (const entry of [...stockMoves(own), ...redlockAttempts(own, answers)]) dropped.add(entry);
    for (const entry of earlierAttempts(own.filter((one) => !dropped.has(one)))) dropped.add(entry);
    const left = own.filter((entry) => !dropped.has(entry));
    for (const entry of repetitions(left, answers)) dropped.add(entry);
  }
  // The answer to SUBSCRIBE comes at any time, and says nothing.
  const subscriptions = trace.filter((entry) => SUBSCRIBE.test(commandOf(entry) ?? ''));
  const droppedAnswers = new Set([...dropped, ...subscriptions].flatMap(commandKey));
  return trace.filter(
    (entry) =>
      !dropped.has(entry) && !(entry.type === 'returned' && droppedAnswers.has(keyOf(entry.by, entry.id))),
  );
}

function atCoordination(
  own: readonly TraceEntry[],
  answers: ReadonlyMap<string, ServerAnswer>,
): TraceEntry[] {
  return own.filter((entry) => {
    if (entry.type !== 'step' || !entry.command) return false;
    const { id, server, text } = entry.command;
    const answer = answers.get(keyOf(entry.by, id));
    const coordinates = server === 'etcd' || server === 'zookeeper';
    return coordinates && answer !== undefined && isOccasional(text, answer.value, answer.error);
  });
}

function commandKey(entry: TraceEntry): string[] {
  return entry.type === 'step' && entry.command ? [keyOf(entry.by, entry.command.id)] : [];
}

function commandOf(entry: TraceEntry): string | undefined {
  return entry.type === 'step' && entry.step.kind === 'query' ? entry.step.text : undefined;
}

function occasional(own: readonly TraceEntry[], keepsSubscriptions: boolean): TraceEntry[] {
  return own.filter((entry) => {
    const command = commandOf(entry) ?? '';
    return (
      RENEWALS.test(command) || NUMBERS.test(command) || (!keepsSubscriptions && SUBSCRIBE.test(command))
    );
  });
}

/** A release that failed is retried in the background. */
function afterAnswer(own: readonly TraceEntry[]): TraceEntry[] {
  const answer = own.findIndex((entry) => entry.type === 'step' && entry.step.kind === 'answer');
  return answer < 0 ? [] : own.slice(answer + 1).filter((entry) => commandOf(entry) !== undefined);
}

function cacheUpdates(own: readonly TraceEntry[]): TraceEntry[] {
  const toRedis = own.filter((entry) => entry.type === 'step' && entry.step.to === 'redis');
  return toRedis.flatMap((_, first) => {
    const group = toRedis.slice(first, first + CACHE.length);
    return CACHE.every((pattern, index) => {
      const entry = group[index];
      return entry && pattern.test(commandOf(entry) ?? '');
    })
      ? group
      : [];
  });
}

/**
 * The transactions that move the stock between MySQL and Redis: the first request that needs the move makes it, and it
 * may be a different one in the next recording. A move in which the experiment held the request is part of the story.
 */
function stockMoves(own: readonly TraceEntry[]): TraceEntry[] {
  const moves: TraceEntry[] = [];
  let transaction: TraceEntry[] | undefined;
  for (const [index, entry] of own.entries()) {
    const command = commandOf(entry) ?? '';
    if (command.endsWith(': START TRANSACTION')) transaction = [];
    transaction?.push(entry);
    if (!/: (COMMIT|ROLLBACK)$/.test(command)) continue;
    const next = own[index + 1];
    if (next?.type === 'event' && next.name.endsWith(' afterCommit')) transaction?.push(next);
    const moved = transaction?.some((one) => / (close|open)-stock\.lua /.test(commandOf(one) ?? ''));
    if (moved && !transaction?.some(isHeld)) moves.push(...(transaction ?? []));
    transaction = undefined;
  }
  return moves;
}

/**
 * A sale from the Redis stock that finds none left retries as long as another sale may still return its units. Only its
 * last attempt is kept; it begins with the command that began the first one.
 */
function earlierAttempts(own: readonly TraceEntry[]): TraceEntry[] {
  const keys = own.map((entry) => commandOf(entry)?.replace(OWNER, 'owner'));
  const first = keys.findIndex((key) => key !== undefined);
  const last = keys.lastIndexOf(keys[first]);
  const retried = keys.slice(first, last).some((key) => key?.includes(' sold-out.lua '));
  return retried ? own.slice(first, last).filter((entry) => !isHeld(entry)) : [];
}

/** A checkpoint where the experiment held the request is a step of the story. */
function isHeld(entry: TraceEntry): boolean {
  return entry.type === 'step' && entry.step.kind !== 'query';
}

/** The same command with the same answer: an attempt that succeeds is not a repetition of those that failed. */
function repetitions(own: readonly TraceEntry[], answers: ReadonlyMap<string, ServerAnswer>): TraceEntry[] {
  const sent = new Set<string>();
  return own.filter((entry) => {
    if (entry.type === 'event') sent.clear();
    const command = commandOf(entry)?.replace(': EVAL ', ': EVALSHA ').replace(OWNER, 'owner');
    if (command === undefined || entry.type !== 'step') return false;
    const answer = entry.command && answers.get(keyOf(entry.by, entry.command.id));
    const told = entry.command && answer ? answerText(entry.command, answer) : '';
    const outcome = WITHDRAWN.test(command) || isWithoutEffect(told) ? '' : told;
    const exchange = `${entry.step.to ?? ''} ${command} → ${outcome}`;
    const repeated = sent.has(exchange);
    sent.add(exchange);
    return repeated;
  });
}
