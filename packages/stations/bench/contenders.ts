import uFuzzy from '@leeoniya/ufuzzy';
import { Index } from 'flexsearch';
import MiniSearch from 'minisearch';
import { createRowFinder } from '../src/search/find-rows.ts';
import { foldedWords } from '../src/search/fold.ts';
import { buildWordIndex } from '../src/search/word-index.ts';
import type { StationTable } from '../src/table/station-table.ts';

export const LIMIT = 10;
/** The others find names; a station has several. */
const MOST_NAMES = 60;

/** Returns the best rows for a text. */
export type Find = (text: string) => readonly number[];

export interface Library {
  readonly name: string;
  readonly build: (table: StationTable) => Find;
}

interface Names {
  readonly texts: readonly string[];
  readonly rows: readonly number[];
}

/** Every name once for each of its rows, folded as ours are. */
function namesOf(table: StationTable): Names {
  const [texts, rows]: [string[], number[]] = [[], []];
  for (let row = 0; row < table.length; row++) {
    const names = new Set([table.nameOf(row), ...table.aliasesOf(row).map(({ name }) => name)]);
    for (const name of names) {
      texts.push(foldedWords(name).join(' '));
      rows.push(row);
    }
  }
  return { texts, rows };
}

/** The rows of names, the heavier ones first where the library knows no weights. */
function rowsOf(names: Names, found: readonly number[]): readonly number[] {
  return [...new Set(found.map((name) => names.rows[name] ?? 0))].slice(0, LIMIT);
}

/** Each in the way that its documentation gives for suggestions. */
export const libraries: readonly Library[] = [
  {
    name: 'ours',
    build(table) {
      const finder = createRowFinder(
        table,
        buildWordIndex(table, () => true),
      );
      return (text) => finder.find(text, { limit: LIMIT }).rows.map(({ row }) => row);
    },
  },
  {
    name: 'minisearch 7.2',
    build(table) {
      const names = namesOf(table);
      const search = new MiniSearch<{ id: number; name: string }>({ fields: ['name'] });
      search.addAll(names.texts.map((name, id) => ({ id, name })));
      const options = {
        prefix: true,
        fuzzy: 0.2,
        combineWith: 'AND' as const,
        boostDocument: (id: number) => 1 + (table.weight[names.rows[id] ?? 0] ?? 0) / 50,
      };
      return (text) =>
        rowsOf(
          names,
          search
            .search(foldedWords(text).join(' '), options)
            .slice(0, MOST_NAMES)
            .map(({ id }) => id),
        );
    },
  },
  {
    name: 'uFuzzy 1.0.19',
    build(table) {
      const names = namesOf(table);
      const search = new uFuzzy({ intraMode: 1 });
      const haystack = [...names.texts];
      return (text) => {
        const [found, info, order] = search.search(
          haystack,
          foldedWords(text).join(' '),
          1,
          10_000,
        );
        const sorted = info && order ? order.map((place) => info.idx[place] ?? 0) : (found ?? []);
        return rowsOf(names, sorted.slice(0, MOST_NAMES));
      };
    },
  },
  {
    name: 'flexsearch 0.8.212',
    build(table) {
      const names = namesOf(table);
      const search = new Index({ tokenize: 'forward' });
      for (const [id, text] of names.texts.entries()) search.add(id, text);
      return (text) =>
        rowsOf(
          names,
          search.search(foldedWords(text).join(' '), { limit: MOST_NAMES }).map(Number),
        );
    },
  },
];
