/** Kind of match between a text and the names of a row: a whole name, beginnings of words, words with typing errors, or only some of its words. */
export type Match = 'exact' | 'prefix' | 'typo' | 'partial';

/** A row that a text may mean. */
export interface FoundRow {
  readonly row: number;
  readonly score: number;
  readonly match: Match;
}

/** The best rows, in a total order: score, then the shorter name, then the place in the table. */
export interface BestRows {
  readonly size: number;
  add(row: number, points: number, match: Match): void;
  rows(): readonly FoundRow[];
}

/** Keeps the best of the rows that are added. */
export function createBestRows(
  limit: number,
  weightOf: (row: number) => number,
  nameLengths: Uint8Array,
): BestRows {
  const kept: FoundRow[] = [];
  const isBetter = (row: number, score: number, other: FoundRow): boolean => {
    if (score !== other.score) return score > other.score;
    const difference = (nameLengths[row] ?? 0) - (nameLengths[other.row] ?? 0);
    return difference === 0 ? row < other.row : difference < 0;
  };
  return {
    get size() {
      return kept.length;
    },
    add(row, points, match) {
      const score = points + weightOf(row);
      const last = kept[limit - 1];
      if (last !== undefined && !isBetter(row, score, last)) return;
      const one = { row, score, match };
      let [low, high] = [0, kept.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (isBetter(row, score, kept[middle] ?? one)) high = middle;
        else low = middle + 1;
      }
      kept.splice(low, 0, one);
      if (kept.length > limit) kept.pop();
    },
    rows: () => kept,
  };
}
