const PROBE = /^\/(health|metrics)\b/;

/** Probes request these paths often, with any Host. Such requests are not logged, checked or refused. */
export function isProbe(url: string): boolean {
  return PROBE.test(url);
}
