import type { StationTable } from '../table/station-table.ts';
import { canonicalWord, equalWords, foldedWords, spelledWords } from './fold.ts';

/**
 * The words of all names, sorted, and which rows of the table have them. A row has several names: its own, then its aliases. All
 * numbers are in typed arrays: the index is a few large objects, which a collection of garbage passes by.
 */
export interface WordIndex {
  /** Sorted by UTF-16. */
  readonly words: readonly string[];
  /** Letters of each word: {@link letterBits}. */
  readonly letters: Uint32Array;
  /** Number of letters that each word has in common with the one before. */
  readonly common: Uint8Array;
  /** Number of the word that represents all words of one meaning, for each word (`st` for `sankt`, `koln` for `koeln`). */
  readonly canonical: Uint32Array;
  /** Rows that have word `n`: `rows[rowStarts[n]]` to `rows[rowStarts[n + 1] - 1]`. */
  readonly rows: Uint32Array;
  readonly rowStarts: Uint32Array;
  /** Names of row `n`: from `nameStarts[n]` to `nameStarts[n + 1] - 1`. */
  readonly nameStarts: Uint32Array;
  /** Words of name `n`, in its order: `nameWords[wordStarts[n]]` to `nameWords[wordStarts[n + 1] - 1]`. */
  readonly nameWords: Uint32Array;
  readonly wordStarts: Uint32Array;
  /** Words that are in no name of row `n`, but mean the same as one that is. */
  readonly formWords: Uint32Array;
  readonly formStarts: Uint32Array;
}

/** Longest word and common part that are looked at. */
const LONGEST = 255;

/** Builds the index of the rows that `isTaken` accepts. */
export function buildWordIndex(table: StationTable, isTaken: (row: number) => boolean): WordIndex {
  const numbers = new Map<string, number>();
  const numberOf = (word: string): number => {
    const known = numbers.get(word);
    if (known !== undefined) return known;
    numbers.set(word, numbers.size);
    return numbers.size - 1;
  };
  /** Numbers of words that stand for others, by the others' numbers. */
  const standIns = new Map<number, number>();
  const nameStarts = new Uint32Array(table.length + 1);
  const formStarts = new Uint32Array(table.length + 1);
  const [wordStarts, nameWords, formWords]: [number[], number[], number[]] = [[0], [], []];
  /** Names by the number of a set: many stations of a city have the same names in other languages. */
  const aliasSets: (readonly NameNumbers[] | undefined)[] = [];
  const read = (name: string): NameNumbers => readName(name, numberOf, standIns);
  for (let row = 0; row < table.length; row++) {
    if (isTaken(row)) {
      const forms = new Set<number>();
      const set = table.aliasSetOf(row);
      aliasSets[set] ??= table.aliasesOf(row).map(({ name }) => read(name));
      for (const name of [read(table.nameOf(row)), ...aliasSets[set]]) {
        nameWords.push(...name.words);
        wordStarts.push(nameWords.length);
        for (const form of name.forms) forms.add(form);
      }
      formWords.push(...forms);
    }
    nameStarts[row + 1] = wordStarts.length - 1;
    formStarts[row + 1] = formWords.length;
  }

  const words = [...numbers.keys()].sort();
  const placeOf = new Uint32Array(words.length);
  for (const [place, word] of words.entries()) placeOf[numbers.get(word) ?? 0] = place;
  const places = (list: readonly number[]): Uint32Array => {
    const mapped = new Uint32Array(list);
    for (let at = 0; at < mapped.length; at++) mapped[at] = placeOf[mapped[at] ?? 0] ?? 0;
    return mapped;
  };
  const canonical = new Uint32Array(words.keys());
  for (const [word, standIn] of standIns) canonical[placeOf[word] ?? 0] = placeOf[standIn] ?? 0;
  const index = {
    words,
    letters: lettersOf(words),
    common: commonLengths(words),
    canonical,
    nameStarts,
    wordStarts: new Uint32Array(wordStarts),
    nameWords: places(nameWords),
    formStarts,
    formWords: places(formWords),
  };
  return { ...index, ...postings(index) };
}

/** Numbers of the words of a name, and of words that mean the same. */
interface NameNumbers {
  readonly words: readonly number[];
  readonly forms: readonly number[];
}

function readName(
  name: string,
  numberOf: (word: string) => number,
  standIns: Map<number, number>,
): NameNumbers {
  const folded = foldedWords(name);
  const words = folded.map(numberOf);
  const forms: number[] = [];
  for (const [place, word] of folded.entries()) {
    for (const equal of equalWords(word)) {
      forms.push(numberOf(equal));
      standIns.set(numberOf(equal), numberOf(canonicalWord(word)));
      standIns.set(words[place] ?? 0, numberOf(canonicalWord(word)));
    }
  }
  for (const [place, spelled] of spelledWords(name).entries()) {
    const number = numberOf(spelled);
    if (number === words[place]) continue;
    forms.push(number);
    if (!standIns.has(number)) standIns.set(number, words[place] ?? number);
  }
  return { words, forms };
}

/** Returns a bit for each letter of a text: 26 for the letters of English, 6 for all others. */
export function letterBits(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    bits |= 1 << (code >= 97 && code <= 122 ? code - 97 : 26 + (code % 6));
  }
  return bits >>> 0;
}

function lettersOf(words: readonly string[]): Uint32Array {
  const letters = new Uint32Array(words.length);
  for (let place = 0; place < words.length; place++)
    letters[place] = letterBits(words[place] ?? '');
  return letters;
}

function commonLengths(words: readonly string[]): Uint8Array {
  const common = new Uint8Array(words.length);
  for (let place = 1; place < words.length; place++) {
    const [before, word] = [words[place - 1] ?? '', words[place] ?? ''];
    let length = 0;
    while (length < LONGEST && length < word.length && before[length] === word[length]) length++;
    common[place] = length;
  }
  return common;
}

/** Turns words of rows into rows of words: each row once for a word, ascending. */
function postings(
  index: Omit<WordIndex, 'rows' | 'rowStarts'>,
): Pick<WordIndex, 'rows' | 'rowStarts'> {
  const { words, nameStarts, wordStarts, nameWords, formStarts, formWords } = index;
  const lastRow = new Int32Array(words.length);
  const rowStarts = new Uint32Array(words.length + 1);
  const eachPair = (see: (word: number, row: number) => void): void => {
    lastRow.fill(-1);
    const once = (word: number, row: number): void => {
      if (lastRow[word] === row) return;
      lastRow[word] = row;
      see(word, row);
    };
    for (let row = 0; row + 1 < nameStarts.length; row++) {
      const end = wordStarts[nameStarts[row + 1] ?? 0] ?? 0;
      for (let at = wordStarts[nameStarts[row] ?? 0] ?? 0; at < end; at++) {
        once(nameWords[at] ?? 0, row);
      }
      const formEnd = formStarts[row + 1] ?? 0;
      for (let at = formStarts[row] ?? 0; at < formEnd; at++) once(formWords[at] ?? 0, row);
    }
  };
  eachPair((word) => {
    rowStarts[word + 1] = (rowStarts[word + 1] ?? 0) + 1;
  });
  for (let word = 0; word < words.length; word++) {
    rowStarts[word + 1] = (rowStarts[word + 1] ?? 0) + (rowStarts[word] ?? 0);
  }
  const next = rowStarts.slice();
  const rows = new Uint32Array(rowStarts[words.length] ?? 0);
  eachPair((word, row) => {
    const at = next[word] ?? 0;
    rows[at] = row;
    next[word] = at + 1;
  });
  return { rows, rowStarts };
}

/** Returns the words that begin with a text: `[first, behind the last]`. */
export function wordsFrom({ words }: WordIndex, text: string): readonly [number, number] {
  const first = placeOf(words, (word) => word < text);
  return [first, placeOf(words, (word) => word < text || word.startsWith(text), first)];
}

/** Returns the first place from `low` on whose word is not `before`. */
function placeOf(words: readonly string[], before: (word: string) => boolean, from = 0): number {
  let [low, high] = [from, words.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(words[middle] ?? '')) low = middle + 1;
    else high = middle;
  }
  return low;
}
