import { writtenOut } from '../src/search/abbreviations.ts';
import {
  canonicalWord,
  equalWords,
  foldedWords,
  isOptional,
  isStationWord,
  spelledWords,
} from '../src/search/fold.ts';
import type { StationTable } from '../src/table/station-table.ts';

/** A row as a naive search sees it. */
interface NaiveRow {
  readonly row: number;
  readonly names: readonly (readonly string[])[];
  readonly words: readonly string[];
  readonly length: number;
}

export interface NaiveFound {
  readonly row: number;
  readonly score: number;
}

/**
 * What `suggest` promises, by the shortest code: every row is looked at for every text. Shares with it only what words are (`fold.ts`,
 * `abbreviations.ts`) and the table. It leaves no words aside: of such texts it finds nothing.
 */
export function createNaiveSearch(
  table: StationTable,
): (text: string, limit: number) => readonly NaiveFound[] {
  const standIns = new Map<string, string>();
  const rows = Array.from({ length: table.length }, (_, row) => readRow(table, row, standIns));
  const canonical = (word: string): string => standIns.get(word) ?? word;
  const everyWord = [...new Set(rows.flatMap(({ words }) => words))];
  const known = new Set(everyWord);

  function tierOf({ names }: NaiveRow, typed: readonly string[]): number {
    const tiers = names.map((name, place) => {
      const same = (at: number): boolean =>
        known.has(typed[at] ?? '') && canonical(name[at] ?? '') === canonical(typed[at] ?? '');
      const last = typed.length - 1;
      if (name.length < typed.length) return 3;
      if (!typed.slice(0, -1).every((_, at) => same(at))) return 3;
      if (same(last) && name.length === typed.length) return place === 0 ? 0 : 1;
      return same(last) || name[last]?.startsWith(typed[last] ?? '') ? 2 : 3;
    });
    return Math.min(...tiers);
  }

  const isIn = ({ words }: NaiveRow, typed: readonly string[]): boolean =>
    typed.every((one) => words.some((word) => word.startsWith(one)));

  function isCore({ names }: NaiveRow, needed: readonly string[]): boolean {
    return names.some((name) => {
      let place = 0;
      for (const word of name) {
        const next = needed[place] ?? '';
        if (known.has(next) && canonical(word) === canonical(next)) place += 1;
        else if (!isOptional(word)) return false;
      }
      return place === needed.length;
    });
  }

  const stationPoints = ({ words }: NaiveRow, typed: readonly string[]): number =>
    300 *
    typed.filter(
      (one) =>
        isStationWord(one) &&
        known.has(one) &&
        words.some((word) => canonical(word) === canonical(one)),
    ).length;

  const tierPoints = (one: NaiveRow, typed: readonly string[]): number =>
    [3000, 2950, 1000, 0][tierOf(one, typed)] ?? 0;
  const weightOf = (row: number): number => table.weight[row] ?? 0;
  const neededOf = (all: readonly string[]): readonly string[] => {
    const needed = all.filter((word) => !isOptional(word));
    return needed.length > 0 ? needed : all;
  };
  const times = (text: string): number =>
    rows.reduce((sum, { words }) => sum + words.filter((word) => word.startsWith(text)).length, 0);

  function whole(typed: readonly string[]): NaiveFound[] {
    const needed = neededOf(typed);
    const isCoreAsked =
      needed.length < typed.length &&
      isStationWord(typed.at(-1) ?? '') &&
      Math.min(...needed.map(times)) <= 2000;
    return rows.flatMap((one) => {
      const { row } = one;
      const isWhole = isIn(one, typed) && tierOf(one, typed) < 2;
      if (isCoreAsked && !isWhole && isIn(one, needed) && isCore(one, needed)) {
        return [{ row, score: 2500 + stationPoints(one, typed) + weightOf(row) }];
      }
      return isIn(one, typed) ? [{ row, score: tierPoints(one, typed) + weightOf(row) }] : [];
    });
  }

  function withoutFillers(typed: readonly string[]): NaiveFound[] {
    const needed = neededOf(typed);
    if (needed.length === typed.length) return [];
    return rows
      .filter((one) => isIn(one, needed))
      .map((one) => ({
        row: one.row,
        score: tierPoints(one, needed) + stationPoints(one, typed) + weightOf(one.row),
      }));
  }

  function corrected(all: readonly string[]): NaiveFound[] {
    const typed = neededOf(all);
    if (typed.length > 5) return [];
    const points = typed.length < all.length ? all : [];
    const costs = typed.map((one) => costsOf(one, everyWord));
    return rows.flatMap((one) => {
      const { row, names, words } = one;
      let sum = 0;
      for (const [place, cost] of costs.entries()) {
        let least = Number.POSITIVE_INFINITY;
        for (const word of words) least = Math.min(least, cost.get(word) ?? least);
        for (const name of place === 0 ? names : []) {
          least = Math.min(least, (cost.get(name[0] ?? '') ?? Number.POSITIVE_INFINITY) - 60);
        }
        sum += least;
      }
      return sum < 32_767 ? [{ row, score: stationPoints(one, points) + weightOf(row) - sum }] : [];
    });
  }

  return (text, limit) => {
    const all = foldedWords(text);
    if (all.length === 0) return [];
    const long = writtenOut(all);
    const readings = [all, ...(long === undefined ? [] : [long])];
    let found: NaiveFound[] = [];
    for (const way of [whole, withoutFillers, corrected]) {
      for (const reading of readings) if (found.length === 0) found = way(reading);
    }
    const lengthOf = (row: number): number => rows[row]?.length ?? 0;
    return found
      .sort(
        (one, other) =>
          other.score - one.score || lengthOf(one.row) - lengthOf(other.row) || one.row - other.row,
      )
      .slice(0, limit);
  };
}

function readRow(table: StationTable, row: number, standIns: Map<string, string>): NaiveRow {
  const texts = [table.nameOf(row), ...table.aliasesOf(row).map(({ name }) => name)];
  const names = texts.map(foldedWords);
  const words = new Set<string>();
  for (const [place, name] of names.entries()) {
    for (const word of name) {
      words.add(word);
      for (const equal of equalWords(word)) {
        words.add(equal);
        standIns.set(equal, canonicalWord(word));
        standIns.set(word, canonicalWord(word));
      }
    }
    for (const [at, spelled] of spelledWords(texts[place] ?? '').entries()) {
      const word = name[at] ?? spelled;
      words.add(spelled);
      if (spelled !== word && !standIns.has(spelled)) standIns.set(spelled, word);
    }
  }
  return { row, names, words: [...words], length: Math.min(255, table.nameOf(row).length) };
}

/** The cost of each word that is near enough to a typed one: of its nearest beginning, less if the whole is near. */
function costsOf(typed: string, words: readonly string[]): ReadonlyMap<string, number> {
  const short = typed.slice(0, 16);
  const edits = short.length < 4 ? 0 : short.length < 8 ? 1 : 2;
  const costs = new Map<string, number>();
  const distances = prefixDistances(short, Math.max(...words.map(({ length }) => length)));
  for (const word of words) {
    const { nearest, whole } = distances(word);
    const isAlike = word[0] === short[0] || word[0] === short[1] || word[1] === short[0];
    if (nearest > 1 && !isAlike) continue;
    if (nearest <= edits) costs.set(word, 1000 * nearest - (whole <= edits ? 150 : 0));
  }
  return costs;
}

/** Distances of a text to each beginning of a word, by the recurrence as it is in books: to the nearest one, and to the whole word. */
function prefixDistances(
  text: string,
  longest: number,
): (word: string) => { readonly nearest: number; readonly whole: number } {
  const width = text.length + 1;
  const cells = new Uint16Array((longest + 1) * width);
  for (let j = 0; j < width; j++) cells[j] = j;
  const codes = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return (word) => {
    let nearest = text.length;
    let row = 0;
    for (let i = 1; i <= word.length; i++) {
      const above = row;
      row += width;
      cells[row] = i;
      const own = word.charCodeAt(i - 1);
      const before = word.charCodeAt(i - 2);
      for (let j = 1; j < width; j++) {
        const change = own === codes[j - 1] ? 0 : 1;
        let least = (cells[above + j - 1] ?? 0) + change;
        least = Math.min(least, (cells[above + j] ?? 0) + 1, (cells[row + j - 1] ?? 0) + 1);
        if (i > 1 && j > 1 && own === codes[j - 2] && before === codes[j - 1]) {
          least = Math.min(least, (cells[above - width + j - 2] ?? 0) + 1);
        }
        cells[row + j] = least;
      }
      nearest = Math.min(nearest, cells[row + text.length] ?? 0);
    }
    return { nearest, whole: cells[row + text.length] ?? 0 };
  };
}
