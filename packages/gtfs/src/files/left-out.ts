/** Counts of rows that are left out, by file and reason. */
export interface LeftOut {
  /** Counts a row of `file`, or several. `reason` completes "with", as in `with an unknown stop`. */
  count(file: string, reason: string, rows?: number): void;
  /** Returns the counts, by `file: reason`. */
  counts(): Readonly<Record<string, number>>;
}

export function countLeftOut(): LeftOut {
  const byReason = new Map<string, number>();
  return {
    count(file, reason, rows = 1) {
      if (rows === 0) return;
      const key = `${file}: ${reason}`;
      byReason.set(key, (byReason.get(key) ?? 0) + rows);
    },
    counts: () => Object.fromEntries(byReason),
  };
}
