import { equalWords, fold, isOptional, spelledWords } from './fold.ts';
import { editsFor } from './near-words.ts';

/** A word of a name as it is written: where it is, and its folded letters with the place of each. */
interface WrittenWord {
  readonly text: string;
  /** Index in the name at which each letter of `text` begins; one more for the end. */
  readonly places: readonly number[];
}

/** Ranges of typed words in a name. */
export interface Matched {
  readonly name: string;
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

/**
 * Returns the first name that has all typed words, except words that a name may lack, else the first that has most of them, and where they
 * are in it.
 */
export function bestMatch(
  names: readonly string[],
  { words, isCorrected }: { readonly words: readonly string[]; readonly isCorrected: boolean },
): Matched {
  const [first = ''] = names;
  let best: Matched = { name: first, ranges: [] };
  const needed = words.filter((word) => !isOptional(word)).length || words.length;
  for (const name of names) {
    const ranges = rangesOf(name, words, isCorrected);
    if (ranges.length > best.ranges.length) best = { name, ranges };
    if (ranges.length >= needed) break;
  }
  return best;
}

function rangesOf(
  name: string,
  typed: readonly string[],
  isCorrected: boolean,
): readonly (readonly [number, number])[] {
  const written = writtenWords(name);
  const spelled = spelledWords(name);
  const ends = new Map<number, number>();
  for (const word of typed) {
    const place = written.findIndex(
      ({ text }, at) =>
        text.startsWith(word) ||
        equalWords(text).some((equal) => equal.startsWith(word)) ||
        spelled[at]?.startsWith(word),
    );
    const near =
      place < 0 && isCorrected ? written.findIndex(({ text }) => isNear(text, word)) : place;
    const found = written[near];
    if (found === undefined) continue;
    const { text, places } = found;
    const start = places[0] ?? 0;
    const length = text.startsWith(word) ? word.length : text.length;
    ends.set(start, Math.max(ends.get(start) ?? 0, places[length] ?? 0));
  }
  return [...ends].sort(([one], [other]) => one - other);
}

function writtenWords(name: string): WrittenWord[] {
  const words: { text: string; places: number[] }[] = [];
  let word: { text: string; places: number[] } | undefined;
  let at = 0;
  for (const sign of name) {
    const letters = fold(sign);
    const end = at + sign.length;
    if (letters !== '' && !/^[\p{L}\p{N}]+$/u.test(letters)) {
      if (!/^['’]s(?![\p{L}\p{N}])/iu.test(name.slice(at, at + 4))) word = undefined;
    } else {
      if (word === undefined && letters !== '') {
        word = { text: '', places: [at] };
        words.push(word);
      }
      if (word !== undefined) {
        word.text += letters;
        word.places.pop();
        for (let one = 0; one < letters.length; one++) word.places.push(at);
        word.places.push(end);
      }
    }
    at = end;
  }
  return words;
}

/** Returns whether some beginning of a word is as near to a typed one as suggestions allow. */
function isNear(word: string, typed: string): boolean {
  const short = typed.slice(0, 16);
  const edits = editsFor(short);
  let before: readonly number[] = [];
  let above = Array.from({ length: short.length + 1 }, (_, at) => at);
  for (let depth = 1; depth <= word.length && depth <= short.length + edits; depth++) {
    const row = [depth];
    for (let at = 1; at <= short.length; at++) {
      const isSame = word[depth - 1] === short[at - 1];
      let cost = Math.min(
        (above[at - 1] ?? 0) + (isSame ? 0 : 1),
        (above[at] ?? 0) + 1,
        (row[at - 1] ?? 0) + 1,
      );
      if (word[depth - 2] === short[at - 1] && word[depth - 1] === short[at - 2]) {
        cost = Math.min(cost, (before[at - 2] ?? cost) + 1);
      }
      row.push(cost);
    }
    if ((row[short.length] ?? 0) <= edits) return true;
    before = above;
    above = row;
  }
  return false;
}
