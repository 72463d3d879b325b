const PROBE = /^\/(health|metrics)\b/;

/** Machines ask for these all the time, from where they are: no log line, no check of the Host, no refusal. */
export function isProbe(url: string): boolean {
  return PROBE.test(url);
}
