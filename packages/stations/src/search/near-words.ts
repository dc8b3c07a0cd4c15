import { letterBits, type WordIndex } from './word-index.ts';

/** Letters of a typed word that are compared. */
const MOST_LETTERS = 16;
/** A word that is as near as a whole costs less than one whose beginning is. */
const WHOLE_BONUS = 150;
/** Cost of one edit. */
const EDIT_COST = 1000;
/** Cost of a word that is not near. */
export const TOO_FAR = 32_767;

/** Returns how many edits a word of this length may have: 1 from 4 letters, 2 from 8. */
export function editsFor(word: string): number {
  if (word.length < 4) return 0;
  return word.length < 8 ? 1 : 2;
}

/** Computes how far words are from a typed one, letter by letter. */
interface LetterRows {
  /** Letters of a word that can matter. */
  readonly deepest: number;
  /** Computes the row of the letter at `depth - 1` of a word, after those before it. Returns whether rows below can still be near. */
  fill(each: string, depth: number): boolean;
  /** The cost of a word whose rows are filled to `depth`. */
  costAt(each: string, depth: number): number;
  steps(): number;
}

/**
 * Rows of the edit distance: insertions, deletions, replacements and swapped neighbours count 1 each (optimal string alignment). Of each row
 * only the cells that can be near are computed; the others are too far.
 */
function letterRows(typed: string): LetterRows {
  const word = typed.slice(0, MOST_LETTERS);
  const edits = editsFor(word);
  const far = edits + 1;
  const width = word.length + 1;
  const deepest = word.length + edits;
  const cells = new Uint8Array((deepest + 1) * width).fill(far);
  for (let at = 0; at <= edits; at++) cells[at] = at;
  const letters = new Uint16Array(word.length);
  for (let at = 0; at < word.length; at++) letters[at] = word.charCodeAt(at);
  /** The least cell of each row, and the least distance of a beginning that is no longer. */
  const least = new Uint8Array(deepest + 1);
  const best = new Uint8Array(deepest + 1).fill(far);
  let steps = 0;
  return {
    deepest,
    steps: () => steps,
    fill(each, depth) {
      const row = depth * width;
      const above = row - width;
      const letter = each.charCodeAt(depth - 1);
      const before = depth > 1 ? each.charCodeAt(depth - 2) : -1;
      const from = Math.max(1, depth - edits);
      const to = Math.min(word.length, depth + edits);
      let low = depth <= edits ? depth : far;
      cells[row] = low;
      if (from > 1) cells[row + from - 1] = far;
      for (let at = from; at <= to; at++) {
        const own = letters[at - 1];
        let cost = cells[above + at - 1] ?? far;
        if (own !== letter) {
          const [up, left] = [cells[above + at] ?? far, cells[row + at - 1] ?? far];
          if (up < cost) cost = up;
          if (left < cost) cost = left;
          cost += 1;
          if (at > 1 && own === before && letters[at - 2] === letter) {
            const swapped = (cells[above - width + at - 2] ?? far) + 1;
            if (swapped < cost) cost = swapped;
          }
          if (cost > far) cost = far;
        }
        cells[row + at] = cost;
        if (cost < low) low = cost;
      }
      if (to < word.length) cells[row + to + 1] = far;
      least[depth] = low;
      const last = to === word.length ? (cells[row + to] ?? far) : far;
      best[depth] = Math.min(best[depth - 1] ?? far, last);
      steps += to - from + 1;
      // A swap can reach over a row that is too far.
      return low <= edits || (least[depth - 1] ?? far) < edits;
    },
    costAt(each, depth) {
      const distance = best[depth] ?? far;
      if (distance > edits) return TOO_FAR;
      // People rarely err in the first letter: `helsinki` is not the beginning of `gelsenkirchen`.
      if (distance > 1 && !beginsAlike(each, word)) return TOO_FAR;
      const isWhole = depth === each.length && (cells[depth * width + word.length] ?? far) <= edits;
      return distance * EDIT_COST - (isWhole ? WHOLE_BONUS : 0);
    },
  };
}

/** Returns whether two words have their first letter in common, or would without a letter that one of them lacks. */
function beginsAlike(one: string, other: string): boolean {
  return one[0] === other[0] || one[0] === other[1] || one[1] === other[0];
}

/** Costs of words, by their numbers: {@link EDIT_COST} for each edit, less for whole words, {@link TOO_FAR} for others. */
export interface WordCosts {
  of(word: number): number;
  /** Cells that were computed. */
  steps(): number;
}

/** Returns a table of costs, each computed once, when it is asked for. */
export function wordCosts({ words }: WordIndex, typed: string): WordCosts {
  const known = new Map<number, number>();
  const rows = letterRows(typed);
  return {
    of(word) {
      const before = known.get(word);
      if (before !== undefined) return before;
      const each = words[word] ?? '';
      const end = Math.min(each.length, rows.deepest);
      let depth = 0;
      let canBeNear = true;
      while (depth < end && canBeNear) {
        depth += 1;
        canBeNear = rows.fill(each, depth);
      }
      const cost = rows.costAt(each, depth);
      known.set(word, cost);
      return cost;
    },
    steps: rows.steps,
  };
}

/** Words that are near enough to a typed one. */
export interface NearWords {
  /** Ascending. */
  readonly found: readonly number[];
  readonly costs: WordCosts;
}

/**
 * Finds the words of which some beginning is near a typed word. Sorted words are walked as a tree: what a word has in common with the one
 * before is computed once, and where a beginning is too far all words that have it are passed over; so are words that lack too many of the
 * typed letters.
 */
export function nearWords({ words, common, letters }: WordIndex, typed: string): NearWords {
  const rows = letterRows(typed);
  const { deepest } = rows;
  const edits = editsFor(typed);
  const wanted = letterBits(typed.slice(0, MOST_LETTERS));
  const costs = new Map<number, number>();
  const found: number[] = [];
  /** Letters in common with the last word whose rows were computed. */
  let shared = 0;
  for (let place = 0; place < words.length; ) {
    shared = Math.min(shared, common[place] ?? 0);
    // Each typed letter that a word lacks is an edit.
    if (bitCount(wanted & ~(letters[place] ?? 0)) > edits) {
      place += 1;
      continue;
    }
    const each = words[place] ?? '';
    const end = Math.min(each.length, deepest);
    let depth = Math.min(shared, end);
    let canBeNear = true;
    while (depth < end && canBeNear) {
      depth += 1;
      canBeNear = rows.fill(each, depth);
    }
    const first = place;
    place += 1;
    shared = each.length;
    // Nothing changes for words that have all of this in common.
    if (!canBeNear || depth === deepest) {
      while (place < words.length && (common[place] ?? 0) >= depth) place += 1;
    }
    for (let one = first; one < place; one++) {
      const cost = rows.costAt(words[one] ?? '', depth);
      if (cost === TOO_FAR) break;
      found.push(one);
      costs.set(one, cost);
    }
  }
  return { found, costs: { of: (word) => costs.get(word) ?? TOO_FAR, steps: rows.steps } };
}

function bitCount(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
