import {
  canonicalWord,
  equalWords,
  foldedWords,
  isOptional,
  spelledWords,
} from '../src/search/fold.ts';
import type { StationTable } from '../src/table/station-table.ts';

/** A row as a naive search sees it. */
interface NaiveRow {
  readonly row: number;
  readonly names: readonly (readonly string[])[];
  readonly words: ReadonlySet<string>;
  readonly length: number;
}

export interface NaiveFound {
  readonly row: number;
  readonly score: number;
}

/**
 * What `suggest` promises, by the shortest code: every row is looked at for every text. Shares with it only what words are (`fold.ts`) and
 * the table.
 */
export function createNaiveSearch(
  table: StationTable,
): (text: string, limit: number) => readonly NaiveFound[] {
  const standIns = new Map<string, string>();
  const rows = Array.from({ length: table.length }, (_, row) => readRow(table, row, standIns));
  const canonical = (word: string): string => standIns.get(word) ?? word;
  const everyWord = [...new Set(rows.flatMap(({ words }) => [...words]))];
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

  function whole(typed: readonly string[]): NaiveFound[] {
    return rows
      .filter(({ words }) => typed.every((one) => [...words].some((word) => word.startsWith(one))))
      .map((one) => ({
        row: one.row,
        score: 1000 * (3 - tierOf(one, typed)) + (table.weight[one.row] ?? 0),
      }));
  }

  function corrected(typed: readonly string[]): NaiveFound[] {
    const costs = typed.map((one) => costsOf(one, everyWord));
    return rows.flatMap(({ row, names, words }) => {
      let sum = 0;
      for (const [place, cost] of costs.entries()) {
        const own = [...words].map((word) => cost.get(word) ?? Number.POSITIVE_INFINITY);
        const first = names.map(
          (name) => (cost.get(name[0] ?? '') ?? Number.POSITIVE_INFINITY) - 60,
        );
        sum += Math.min(...own, ...(place === 0 ? first : []));
      }
      return sum < 32_767 ? [{ row, score: (table.weight[row] ?? 0) - sum }] : [];
    });
  }

  return (text, limit) => {
    const all = foldedWords(text);
    if (all.length === 0) return [];
    const needed = all.filter((word) => !isOptional(word));
    let found = whole(all);
    if (found.length === 0 && needed.length > 0 && needed.length < all.length)
      found = whole(needed);
    if (found.length === 0) {
      const wrong = needed.length > 0 ? needed : all;
      found = wrong.length > 5 ? [] : corrected(wrong);
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
  return { row, names, words, length: Math.min(255, table.nameOf(row).length) };
}

/** The cost of each word that is near enough to a typed one: of its nearest beginning, less if the whole is near. */
function costsOf(typed: string, words: readonly string[]): ReadonlyMap<string, number> {
  const short = typed.slice(0, 16);
  const edits = short.length < 4 ? 0 : short.length < 8 ? 1 : 2;
  const costs = new Map<string, number>();
  for (const word of words) {
    const distances = prefixDistances(word, short);
    const nearest = Math.min(...distances);
    if (nearest > edits) continue;
    const isWhole = (distances[word.length] ?? edits + 1) <= edits;
    costs.set(word, 1000 * nearest - (isWhole ? 150 : 0));
  }
  return costs;
}

/** Distances of a text to each beginning of a word, by the recurrence as it is in books. */
function prefixDistances(word: string, text: string): number[] {
  const rows: number[][] = [];
  for (let i = 0; i <= word.length; i++) {
    const row: number[] = [];
    for (let j = 0; j <= text.length; j++) {
      if (i === 0 || j === 0) {
        row.push(i + j);
        continue;
      }
      const change = word[i - 1] === text[j - 1] ? 0 : 1;
      let least = Math.min(
        (rows[i - 1]?.[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (rows[i - 1]?.[j - 1] ?? 0) + change,
      );
      if (i > 1 && j > 1 && word[i - 1] === text[j - 2] && word[i - 2] === text[j - 1]) {
        least = Math.min(least, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    rows.push(row);
  }
  return rows.map((row) => row[text.length] ?? 0);
}
