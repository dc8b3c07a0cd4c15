import type { StationTable } from '../table/station-table.ts';
import { foldedWords, isOptional } from './fold.ts';
import { nearWords, TOO_FAR, type WordCosts, wordCosts } from './near-words.ts';
import { type WordIndex, wordsFrom } from './word-index.ts';

/** How a text is in a name, the best first. */
const TIERS = ['own name', 'other name', 'begins a name', 'words'] as const;
/** A better way counts more than any weight. */
const TIER_POINTS = 1000;
/** Texts with more words than this are not corrected. */
const MOST_CORRECTED = 5;
/** A row is better if the first typed word is like the first of a name. */
const FIRST_BONUS = 60;
/** Rows that are kept for each first letter, if so many words begin with it: the most that are asked for. */
const KEPT = 100;
const MANY_ROWS = 500;

/** A row that a text may mean. */
export interface FoundRow {
  readonly row: number;
  readonly score: number;
}

/** How a text was understood. */
export interface FoundRows {
  readonly rows: readonly FoundRow[];
  /** The words that were looked for. */
  readonly words: readonly string[];
  /** Rows have words that are like those, and not the same. */
  readonly isCorrected: boolean;
  /** Rows and cells of edit distances that were looked at. */
  readonly steps: number;
}

export interface Wanted {
  readonly limit: number;
  /** Rows that may be found; default: all. */
  readonly accepts?: ((row: number) => boolean) | undefined;
  /** Points to add to a row's weight. */
  readonly bonus?: ((row: number) => number) | undefined;
  /** Whether words are taken as they are typed. Default: errors are corrected where nothing else is found. */
  readonly isExact?: boolean;
}

export interface RowFinder {
  find(text: string, wanted: Wanted): FoundRows;
  /** Returns the best row for each way in which a text is a whole name: rows that have it as their own, then the others. */
  named(text: string): { readonly own: readonly number[]; readonly other: readonly number[] };
}

/** A typed word in the index. */
interface TypedWord {
  readonly text: string;
  /** Words that begin with it. */
  readonly from: number;
  readonly to: number;
  /** The word itself, as the one that stands for it; -1 if the index has none. */
  readonly exact: number;
}

/** Finds rows of a table by an index of its words. */
export function createRowFinder(table: StationTable, index: WordIndex): RowFinder {
  const { words, canonical, rows, rowStarts, nameStarts, nameWords, wordStarts } = index;
  const { formStarts, formWords } = index;
  /** The last search that saw a row. */
  const seen = new Uint32Array(table.length);
  const nameLengths = Uint8Array.from({ length: table.length }, (_, row) =>
    Math.min(255, table.nameOf(row).length),
  );
  let search = 0;

  function typed(text: string): TypedWord {
    const [from, to] = wordsFrom(index, text);
    return { text, from, to, exact: words[from] === text ? (canonical[from] ?? -1) : -1 };
  }

  const rowsOf = (from: number, to: number): number =>
    (rowStarts[to] ?? 0) - (rowStarts[from] ?? 0);

  /** Visits the numbers of a row's words: those of its names, and what means the same. */
  function someWord(row: number, test: (word: number) => boolean): boolean {
    const end = wordStarts[nameStarts[row + 1] ?? 0] ?? 0;
    for (let at = wordStarts[nameStarts[row] ?? 0] ?? 0; at < end; at++) {
      if (test(nameWords[at] ?? 0)) return true;
    }
    const formEnd = formStarts[row + 1] ?? 0;
    for (let at = formStarts[row] ?? 0; at < formEnd; at++) {
      if (test(formWords[at] ?? 0)) return true;
    }
    return false;
  }

  /** How the words are in the names of a row that has them all: a place in {@link TIERS}. */
  function tierOf(row: number, list: readonly TypedWord[]): number {
    let tier = 3;
    const first = nameStarts[row] ?? 0;
    const end = nameStarts[row + 1] ?? 0;
    for (let name = first; name < end; name++) {
      const start = wordStarts[name] ?? 0;
      const length = (wordStarts[name + 1] ?? 0) - start;
      if (length < list.length) continue;
      const isSame = (place: number): boolean => {
        const exact = list[place]?.exact ?? -1;
        return exact >= 0 && canonical[nameWords[start + place] ?? 0] === exact;
      };
      let place = 0;
      while (place < list.length - 1 && isSame(place)) place += 1;
      if (place < list.length - 1) continue;
      if (isSame(place) && length === list.length) tier = Math.min(tier, name === first ? 0 : 1);
      else if (tier > 2) {
        const last = nameWords[start + place] ?? 0;
        const { from = 0, to = 0 } = list[place] ?? {};
        if ((last >= from && last < to) || isSame(place)) tier = 2;
      }
      if (tier === 0) return tier;
    }
    return tier;
  }

  function best({ limit, bonus }: Wanted): Best {
    return createBest(limit, (row) => (table.weight[row] ?? 0) + (bonus?.(row) ?? 0), nameLengths);
  }

  /** Rows in which each word begins one. */
  function whole(list: readonly TypedWord[], wanted: Wanted): { found: Best; steps: number } {
    const found = best(wanted);
    if (list.some(({ from, to }) => from === to)) return { found, steps: list.length };
    // A word that is typed twice is looked for once.
    const sorted = [...new Map(list.map((word) => [word.text, word])).values()].sort(
      (one, other) => rowsOf(one.from, one.to) - rowsOf(other.from, other.to),
    );
    const [rarest, ...others] = sorted;
    if (rarest === undefined) return { found, steps: 0 };
    search += 1;
    const end = rowStarts[rarest.to] ?? 0;
    const start = rowStarts[rarest.from] ?? 0;
    for (let at = start; at < end; at++) {
      const row = rows[at] ?? 0;
      if (seen[row] === search) continue;
      seen[row] = search;
      if (wanted.accepts?.(row) === false) continue;
      if (others.some(({ from, to }) => !someWord(row, (word) => word >= from && word < to)))
        continue;
      found.add(row, TIER_POINTS * (TIERS.length - 1 - tierOf(row, list)));
    }
    return { found, steps: end - start };
  }

  /** Rows in which each word is like the beginning of one. */
  function corrected(list: readonly string[], wanted: Wanted): { found: Best; steps: number } {
    const found = best(wanted);
    // The longest has the fewest words that are like it; the others are compared with the words of its rows alone.
    const longest = list.reduce((one, other) => (other.length > one.length ? other : one), '');
    const pivots = nearWords(index, longest);
    const costs = list.map((word) => (word === longest ? pivots.costs : wordCosts(index, word)));
    let steps = 0;
    search += 1;
    for (const pivot of pivots.found) {
      const end = rowStarts[pivot + 1] ?? 0;
      steps += end - (rowStarts[pivot] ?? 0);
      for (let at = rowStarts[pivot] ?? 0; at < end; at++) {
        const row = rows[at] ?? 0;
        if (seen[row] === search) continue;
        seen[row] = search;
        if (wanted.accepts?.(row) === false) continue;
        const cost = costOf(row, costs);
        if (cost < TOO_FAR) found.add(row, -cost);
      }
    }
    return { found, steps: costs.reduce((sum, each) => sum + each.steps(), steps) };
  }

  function costOf(row: number, costs: readonly WordCosts[]): number {
    let sum = 0;
    for (const [place, cost] of costs.entries()) {
      let least = TOO_FAR;
      someWord(row, (word) => {
        least = Math.min(least, cost.of(word));
        return false;
      });
      if (place === 0) least = Math.min(least, firstCost(row, cost));
      if (least === TOO_FAR) return TOO_FAR;
      sum += least;
    }
    return sum;
  }

  function firstCost(row: number, costs: WordCosts): number {
    let least = TOO_FAR;
    for (let name = nameStarts[row] ?? 0; name < (nameStarts[row + 1] ?? 0); name++) {
      const start = wordStarts[name] ?? 0;
      if (start === wordStarts[name + 1]) continue;
      const cost = costs.of(nameWords[start] ?? 0);
      if (cost !== TOO_FAR) least = Math.min(least, cost - FIRST_BONUS);
    }
    return least;
  }

  const letters = new Map<string, readonly FoundRow[]>();
  for (const letter of new Set(
    words.map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0)),
  )) {
    const one = typed(letter);
    if (rowsOf(one.from, one.to) < MANY_ROWS) continue;
    letters.set(letter, whole([one], { limit: KEPT }).found.rows());
  }

  function find(text: string, wanted: Wanted): FoundRows {
    const all = foldedWords(text);
    const answer = (rowsFound: readonly FoundRow[], list: readonly string[], steps: number) => ({
      rows: rowsFound,
      words: list,
      isCorrected: false,
      steps,
    });
    if (all.length === 0) return answer([], all, 0);
    const kept = all.length === 1 ? letters.get(all[0] ?? '') : undefined;
    if (kept && !wanted.accepts && !wanted.bonus && wanted.limit <= KEPT) {
      return answer(kept.slice(0, wanted.limit), all, wanted.limit);
    }
    const list = all.map(typed);
    let { found, steps } = whole(list, wanted);
    if (found.size > 0) return answer(found.rows(), all, steps);
    const needed = list.filter(({ text: word }) => !isOptional(word));
    const names = needed.map((word) => word.text);
    if (needed.length > 0 && needed.length < list.length) {
      const again = whole(needed, wanted);
      steps += again.steps;
      found = again.found;
      if (found.size > 0) return answer(found.rows(), names, steps);
    }
    const wrong = needed.length > 0 ? names : all;
    if (wanted.isExact || wrong.length > MOST_CORRECTED) return answer([], wrong, steps);
    const last = corrected(wrong, wanted);
    return { ...answer(last.found.rows(), wrong, steps + last.steps), isCorrected: true };
  }

  function named(text: string): { own: readonly number[]; other: readonly number[] } {
    const list = foldedWords(text).map(typed);
    const [own, other]: [number[], number[]] = [[], []];
    // Thousands of rows begin with a letter, and few are named so.
    const accepts = (row: number): boolean => tierOf(row, list) < 2;
    for (const { row } of whole(list, { limit: table.length, accepts }).found.rows()) {
      (tierOf(row, list) === 0 ? own : other).push(row);
    }
    return { own, other };
  }

  return { find, named };
}

/** The best rows, in a total order: score, then the shorter name, then the place in the table. */
interface Best {
  readonly size: number;
  add(row: number, points: number): void;
  rows(): readonly FoundRow[];
}

function createBest(
  limit: number,
  weightOf: (row: number) => number,
  nameLengths: Uint8Array,
): Best {
  const kept: FoundRow[] = [];
  const isBetter = (one: FoundRow, other: FoundRow): boolean => {
    if (one.score !== other.score) return one.score > other.score;
    const difference = (nameLengths[one.row] ?? 0) - (nameLengths[other.row] ?? 0);
    return difference === 0 ? one.row < other.row : difference < 0;
  };
  return {
    get size() {
      return kept.length;
    },
    add(row, points) {
      const one = { row, score: points + weightOf(row) };
      const last = kept[limit - 1];
      if (last !== undefined && !isBetter(one, last)) return;
      let [low, high] = [0, kept.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (isBetter(one, kept[middle] ?? one)) high = middle;
        else low = middle + 1;
      }
      kept.splice(low, 0, one);
      if (kept.length > limit) kept.pop();
    },
    rows: () => kept,
  };
}
