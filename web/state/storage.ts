/** The browser's storage for this page. It may be disabled (private windows): then a choice lasts until a reload. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`lockstock.${key}`);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`lockstock.${key}`);
    else localStorage.setItem(`lockstock.${key}`, value);
  } catch {
    // It works without.
  }
}
