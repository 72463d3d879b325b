/** To which schedules a bound on preemptions limits a result; nothing without a bound. */
export function withinBound(bound: number | undefined): string {
  return bound === undefined ? '' : ` with at most ${bound} preemption${bound === 1 ? '' : 's'}`;
}
