import { readFileSync } from 'node:fs';
import type { StationBook } from '../../src/index.ts';

/** A text that a traveller types, and the stations that it may mean; none if it is of no station in the table. */
export interface TypedText {
  readonly text: string;
  readonly meant: readonly string[];
  readonly group: string;
}

export const HALVES = ['first-half', 'kept-half'] as const;

/** Reads one half of the texts. */
export function readTyped(half: (typeof HALVES)[number]): TypedText[] {
  const [, ...lines] = readFileSync(new URL(`${half}.tsv`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [text = '', meant = '', group = ''] = line.split('\t');
    return { text, meant: meant.split(' ').filter((id) => id !== '-'), group };
  });
}

/** Returns the place of the meant station among the first three suggestions; infinite if it is not there. */
export function placeOf(book: StationBook, { text, meant }: TypedText): number {
  const found = book.suggest(text, { limit: 3 });
  if (meant.length === 0) return found.length === 0 ? 0 : Number.POSITIVE_INFINITY;
  const place = found.findIndex(({ id }) => meant.includes(id));
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}
