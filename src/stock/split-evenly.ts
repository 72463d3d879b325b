/** `splitEvenly(11, 4)` is 3, 3, 3, 2. */
export function splitEvenly(stock: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor((stock + count - 1 - index) / count));
}
