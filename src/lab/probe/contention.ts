/** One request that was answered: from its last byte to the first byte of its answer, in ms. */
export interface Span {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** What the client can say about requests that were at the service at the same time. */
export interface Contention {
  /** The largest number of purchases in flight at one moment. */
  readonly inFlight: number;
  /** How many requests were answered before one that was sent earlier. */
  readonly overtaking: number;
}

/** Answers that are nearer together may have changed places on the way. */
const CLEARLY_MS = 1;

/**
 * Requests that wait in the queue of a service that works on one at a time are in flight together as well. Such a service
 * answers in the order in which the requests were sent: so an answer must also overtake another one.
 */
export function contentionOf(purchases: readonly Span[], others: readonly Span[]): Contention {
  const all = [...purchases, ...others];
  const overtaking = all.filter((one) =>
    all.some((earlier) => earlier.sentAt < one.sentAt && one.answeredAt + CLEARLY_MS < earlier.answeredAt),
  );
  const inFlight = purchases.map(
    ({ sentAt: at }) => purchases.filter(({ sentAt, answeredAt }) => sentAt <= at && answeredAt > at).length,
  );
  return { inFlight: Math.max(0, ...inFlight), overtaking: overtaking.length };
}

/** Two buyers at one moment, and a service that works on more than one request. */
export function isContended({ inFlight, overtaking }: Contention): boolean {
  return inFlight >= 2 && overtaking > 0;
}
