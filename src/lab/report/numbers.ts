/** Numbers for people: no more digits than are significant. */
export function whole(number: number): string {
  return Math.round(number).toLocaleString('en');
}

/** A duration in ms. */
export function milliseconds(ms: number): string {
  if (ms >= 100) return whole(ms);
  return ms >= 10 ? ms.toFixed(1) : ms.toFixed(2);
}

export function ratio(number: number): string {
  return number >= 10 ? number.toFixed(0) : number.toFixed(2);
}
