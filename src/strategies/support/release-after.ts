/**
 * Runs `work`, then `release`. The outcome is that of `work` alone: its sale may be committed, and a lock that could not
 * be released does not undo it.
 */
export async function releaseAfter<T>(work: () => Promise<T>, release: () => Promise<unknown>): Promise<T> {
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}
