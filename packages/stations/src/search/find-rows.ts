import type { StationTable } from '../table/station-table.ts';
import { writtenOut } from './abbreviations.ts';
import { type BestRows, createBestRows, type FoundRow } from './best-rows.ts';
import { foldedWords, isOptional, isStationWord } from './fold.ts';
import { nearWords, TOO_FAR, type WordCosts, wordCosts } from './near-words.ts';
import { type WordIndex, wordsFrom } from './word-index.ts';

/**
 * Points for the ways in which a text is in a name, the best first: own name, other name, begins a name, words. Their points count more than weights do, but for the
 * first two: `Essen` is rather the city in Germany than the village in Belgium, of which it is the own name.
 */
const TIER_POINTS = [3000, 2950, 1000, 0] as const;
/** Weight by which another name must count for more than a station's own. */
export const OWN_NAME_POINTS: number = TIER_POINTS[0] - TIER_POINTS[1];
/** Points for a name that differs from the text only by words like `Bahnhof`. */
const CORE_POINTS = 2500;
/** Points for each typed word like `Hbf` that is not needed and is in a name of the row. */
const STATION_WORD_POINTS = 300;
/** Rows of the rarest word that are compared with a text without its last word, `Bahnhof`. */
const MOST_CORE_ROWS = 2000;
/** Texts with more words than this are not corrected, and none of their words is left aside. */
const MOST_CORRECTED = 5;
const MOST_PARTIAL = 8;
/** Rows that are looked at for texts of which some words are left aside, and what each such word costs. */
const MOST_PARTIAL_ROWS = 2000;
const ASIDE_COST = 1000;
/** Share of the letters that must be in a name when words are left aside. */
const LEAST_SHARE = 0.6;
/** A row is better if the first typed word is like the first of a name. */
const FIRST_BONUS = 60;
/** Rows that are kept for each first letter, if so many words begin with it: the most that are asked for. */
const KEPT = 100;
const MANY_ROWS = 500;

/** Rows that a text means, and how the text was understood. */
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
  /** True to take words as they are typed. Default: errors are corrected, or words left aside, where nothing else is found. */
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
  /** Number of the word, or of the one that represents it; -1 if the index has none. */
  readonly exact: number;
}

/** A text as words, in one way to read it. */
interface Reading {
  readonly list: readonly TypedWord[];
  /** Words of the text but for words that a name may lack; all of them if nothing else is left. */
  readonly needed: readonly TypedWord[];
  /** Words like `Hbf` that are not needed, by the number of the word that represents each. */
  readonly stationWords: readonly number[];
  /** True if the text ends with a word like `Bahnhof`. */
  readonly endsInStation: boolean;
}

/** Rows that one way of looking for a reading finds. */
interface Way {
  readonly found: BestRows;
  readonly steps: number;
  /** Words of the reading that were looked for. */
  readonly words: readonly TypedWord[];
}

/** Finds rows of a table by an index of its words. */
export function createRowFinder(table: StationTable, index: WordIndex): RowFinder {
  const { words, canonical, rows, rowStarts, nameStarts, nameWords, wordStarts } = index;
  const { formStarts, formWords } = index;
  /** The last search that saw a row. */
  const seen = new Uint32Array(table.length);
  /** Rows of the last {@link collect}. */
  const matched = new Uint32Array(table.length);
  const nameLengths = Uint8Array.from({ length: table.length }, (_, row) =>
    Math.min(255, table.nameOf(row).length),
  );
  const fillers = Uint8Array.from(words, (word) => Number(isOptional(word)));
  const numbers = Uint8Array.from(words, (word) => Number(/^\d+$/.test(word)));
  let search = 0;

  function typed(text: string): TypedWord {
    const [from, to] = wordsFrom(index, text);
    return { text, from, to, exact: words[from] === text ? (canonical[from] ?? -1) : -1 };
  }

  const rowsOf = (from: number, to: number): number =>
    (rowStarts[to] ?? 0) - (rowStarts[from] ?? 0);

  /** Visits the numbers of the words in a row's names, and of words that mean the same. */
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

  /** Returns the way in which the words are in the names of a row: an index of {@link TIER_POINTS}. */
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

  function readingOf(all: readonly string[]): Reading {
    const list = all.map(typed);
    // Most texts are beginnings of one word.
    if (!all.some(isOptional))
      return { list, needed: list, stationWords: [], endsInStation: false };
    const needed = list.filter(({ text }) => !isOptional(text));
    const left = needed.length === 0 ? [] : list.filter(({ text }) => isStationWord(text));
    return {
      list,
      needed: needed.length === 0 ? list : needed,
      stationWords: left.map(({ exact }) => exact).filter((exact) => exact >= 0),
      endsInStation: needed.length > 0 && isStationWord(all.at(-1) ?? ''),
    };
  }

  /** Returns whether a name of the row has the words in their order, and besides only such as a name may lack. */
  function isCore(row: number, needed: readonly TypedWord[]): boolean {
    const end = nameStarts[row + 1] ?? 0;
    for (let name = nameStarts[row] ?? 0; name < end; name++) {
      const stop = wordStarts[name + 1] ?? 0;
      let place = 0;
      for (let at = wordStarts[name] ?? 0; at < stop; at++) {
        const word = nameWords[at] ?? 0;
        if (place < needed.length && canonical[word] === needed[place]?.exact) place += 1;
        else if (fillers[word] === 0) {
          place = -1;
          break;
        }
      }
      if (place === needed.length) return true;
    }
    return false;
  }

  function stationPoints(row: number, stationWords: readonly number[]): number {
    if (stationWords.length === 0) return 0;
    const has = (exact: number) => someWord(row, (word) => canonical[word] === exact);
    return STATION_WORD_POINTS * stationWords.filter(has).length;
  }

  function best({ limit, bonus }: Wanted): BestRows {
    const weightOf = (row: number) => (table.weight[row] ?? 0) + (bonus?.(row) ?? 0);
    return createBestRows(limit, weightOf, nameLengths);
  }

  /**
   * Writes the rows in which every word begins one to `matched`, each once. Returns how many they are, and were looked at. `most`: none if
   * there are more to look at. A list and no callback, so that what is done with each row is compiled with its loop.
   */
  function collect(
    list: readonly TypedWord[],
    { accepts, most = table.length }: Pick<Wanted, 'accepts'> & { readonly most?: number },
  ): { readonly count: number; readonly steps: number } {
    if (list.some(({ from, to }) => from === to)) return { count: 0, steps: list.length };
    // A word that is typed twice is looked for once.
    const sorted = [...new Map(list.map((word) => [word.text, word])).values()].sort(
      (one, other) => rowsOf(one.from, one.to) - rowsOf(other.from, other.to),
    );
    const [rarest, ...others] = sorted;
    if (rarest === undefined || rowsOf(rarest.from, rarest.to) > most) {
      return { count: 0, steps: 0 };
    }
    search += 1;
    const end = rowStarts[rarest.to] ?? 0;
    const start = rowStarts[rarest.from] ?? 0;
    let count = 0;
    for (let at = start; at < end; at++) {
      const row = rows[at] ?? 0;
      if (seen[row] === search) continue;
      seen[row] = search;
      if (accepts?.(row) === false) continue;
      if (others.some(({ from, to }) => !someWord(row, (word) => word >= from && word < to)))
        continue;
      matched[count] = row;
      count += 1;
    }
    return { count, steps: end - start };
  }

  /** Rows that have all words of a reading. One whose name is the text without its last word, `Bahnhof`, is better than one that has it in a longer name. */
  function whole({ list, needed, stationWords, endsInStation }: Reading, wanted: Wanted): Way {
    const found = best(wanted);
    const { accepts } = wanted;
    let cores: Set<number> | undefined;
    let steps = 0;
    if (endsInStation) {
      const some = collect(needed, { accepts, most: MOST_CORE_ROWS });
      steps = some.steps;
      for (let at = 0; at < some.count; at++) {
        const row = matched[at] ?? 0;
        if (tierOf(row, list) < 2 || !isCore(row, needed)) continue;
        cores = (cores ?? new Set()).add(row);
        found.add(row, CORE_POINTS + stationPoints(row, stationWords), 'exact');
      }
    }
    const { count, steps: more } = collect(list, { accepts });
    for (let at = 0; at < count; at++) {
      const row = matched[at] ?? 0;
      if (cores?.has(row) === true) continue;
      const tier = tierOf(row, list);
      found.add(row, TIER_POINTS[tier] ?? 0, tier < 2 ? 'exact' : 'prefix');
    }
    return { found, steps: steps + more, words: count === 0 ? needed : list };
  }

  /** Rows that have the needed words of a reading. */
  function withoutFillers({ needed, stationWords }: Reading, wanted: Wanted): Way {
    const found = best(wanted);
    const { count, steps } = collect(needed, { accepts: wanted.accepts });
    for (let at = 0; at < count; at++) {
      const row = matched[at] ?? 0;
      const tier = tierOf(row, needed);
      const match = tier < 2 || isCore(row, needed) ? 'exact' : 'prefix';
      found.add(row, (TIER_POINTS[tier] ?? 0) + stationPoints(row, stationWords), match);
    }
    return { found, steps, words: needed };
  }

  /** Rows in which each word is like the beginning of one. */
  function corrected({ needed, stationWords }: Reading, wanted: Wanted): Way {
    const found = best(wanted);
    const list = needed.map(({ text }) => text);
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
        if (cost < TOO_FAR) found.add(row, stationPoints(row, stationWords) - cost, 'typo');
      }
    }
    const all = costs.reduce((sum, each) => sum + each.steps(), steps);
    return { found, steps: all, words: needed };
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

  /**
   * Rows that have some of the words: the words that are left must be a whole name, or most of the letters; the first one is left aside only if no
   * name has it, so that New York is not York. Where a number is left aside, rows of other numbers are other places.
   */
  function partial({ needed, stationWords }: Reading, wanted: Wanted): Way {
    const found = best(wanted);
    const known = needed.filter(({ from, to }) => from < to);
    const letters = needed.reduce((sum, { text }) => sum + text.length, 0);
    const [first] = needed;
    const mayLackFirst = first !== undefined && first.from === first.to;
    let steps = needed.length;
    search += 1;
    const pivots = known
      .filter(({ text }) => text.length > 2)
      .sort((one, other) => rowsOf(one.from, one.to) - rowsOf(other.from, other.to));
    for (const { from, to } of pivots) {
      if (steps + rowsOf(from, to) > MOST_PARTIAL_ROWS) break;
      steps += rowsOf(from, to);
      for (let at = rowStarts[from] ?? 0; at < (rowStarts[to] ?? 0); at++) {
        const row = rows[at] ?? 0;
        if (seen[row] === search) continue;
        seen[row] = search;
        if (wanted.accepts?.(row) === false) continue;
        const has = known.filter((one) =>
          someWord(row, (word) => word >= one.from && word < one.to),
        );
        if (!mayLackFirst && has[0] !== first) continue;
        if (has.length < needed.length && hasOtherNumber(row, needed)) continue;
        const share = has.reduce((sum, { text }) => sum + text.length, 0) / letters;
        const isName = isCore(row, has);
        if (!isName && (has.length < 2 || share < LEAST_SHARE)) continue;
        const points = (isName ? ASIDE_COST / 2 : 0) + stationPoints(row, stationWords);
        found.add(row, points - ASIDE_COST * (needed.length - has.length), 'partial');
      }
    }
    return { found, steps, words: needed };
  }

  /** Returns whether a number of the text is in no name of the row, and a number of the row not in the text. */
  function hasOtherNumber(row: number, needed: readonly TypedWord[]): boolean {
    const typedNumbers = needed.filter(({ text }) => /^\d+$/.test(text));
    const lacks = ({ from, to }: TypedWord) => !someWord(row, (word) => word >= from && word < to);
    return (
      typedNumbers.some(lacks) &&
      someWord(
        row,
        (word) => numbers[word] === 1 && typedNumbers.every(({ text }) => words[word] !== text),
      )
    );
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
    letters.set(letter, whole(readingOf([letter]), { limit: KEPT }).found.rows());
  }

  function find(text: string, wanted: Wanted): FoundRows {
    const all = foldedWords(text);
    if (all.length === 0) return { rows: [], words: all, isCorrected: false, steps: 0 };
    const kept = all.length === 1 ? letters.get(all[0] ?? '') : undefined;
    if (kept && !wanted.accepts && !wanted.bonus && wanted.limit <= KEPT) {
      const steps = wanted.limit;
      return { rows: kept.slice(0, steps), words: all, isCorrected: false, steps };
    }
    let steps = 0;
    const readings = [readingOf(all)];
    /** Returns the rows that one of the readings finds in a way. */
    const first = (
      list: readonly Reading[],
      way: (reading: Reading, wanted: Wanted) => Way,
    ): FoundRows | undefined => {
      for (const reading of list) {
        const { found, steps: more, words: typedWords } = way(reading, wanted);
        steps += more;
        if (found.size === 0) continue;
        const isCorrected = way === corrected;
        return { rows: found.rows(), words: typedWords.map((one) => one.text), isCorrected, steps };
      }
      return undefined;
    };
    const literal = first(readings, whole);
    if (literal) return literal;
    const long = writtenOut(all);
    if (long !== undefined) readings.push(readingOf(long));
    const least = (most: number) => readings.filter(({ needed }) => needed.length <= most);
    const shorter = readings.filter(({ list, needed }) => needed.length < list.length);
    const words = (readings[0]?.needed ?? []).map((one) => one.text);
    const known = first(readings.slice(1), whole) ?? first(shorter, withoutFillers);
    if (known) return known;
    const guessed = wanted.isExact
      ? undefined
      : (first(least(MOST_CORRECTED), corrected) ?? first(least(MOST_PARTIAL), partial));
    return guessed ?? { rows: [], words, isCorrected: false, steps };
  }

  function named(text: string): { own: readonly number[]; other: readonly number[] } {
    const all = foldedWords(text);
    const long = writtenOut(all);
    const readings = [all, ...(long === undefined ? [] : [long])].map(readingOf);
    for (const { list } of readings) {
      const [own, other]: [number[], number[]] = [[], []];
      // Thousands of rows begin with a letter, and few are named so.
      const accepts = (row: number): boolean => tierOf(row, list) < 2;
      const found = best({ limit: table.length });
      const { count } = collect(list, { accepts });
      for (let at = 0; at < count; at++) found.add(matched[at] ?? 0, TIER_POINTS[0], 'exact');
      for (const { row } of found.rows()) (tierOf(row, list) === 0 ? own : other).push(row);
      if (own.length + other.length > 0) return { own, other };
    }
    for (const { list, needed, stationWords } of readings) {
      if (needed.length === list.length) continue;
      const accepts = (row: number): boolean => isCore(row, needed);
      const found = best({ limit: table.length });
      let most = 0;
      const { count } = collect(needed, { accepts });
      for (let at = 0; at < count; at++) {
        const row = matched[at] ?? 0;
        const points = stationPoints(row, stationWords);
        most = Math.max(most, points);
        found.add(row, points, 'exact');
      }
      const own = found.rows().map(({ row }) => row);
      const nearest = own.filter((row) => stationPoints(row, stationWords) === most);
      if (nearest.length > 0) return { own: nearest, other: [] };
    }
    return { own: [], other: [] };
  }

  return { find, named };
}
