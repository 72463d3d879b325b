const PROBE = /^\/(health|metrics)\b/;

/** Probes ask for these often, under any Host: they are not logged, checked or refused. */
export function isProbe(url: string): boolean {
  return PROBE.test(url);
}
