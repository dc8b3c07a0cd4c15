import { fold } from '../search/fold.ts';

/** A station as the list offers it. */
export interface Choice {
  readonly name: string;
  /** Folded, for comparing. */
  readonly folded: string;
  /** The station's own name, if this one is another name of it. */
  readonly of: string | undefined;
}

const MOST = 8;

/** Returns stations in which each typed word begins a word: first those that begin with the text. Eight at most. */
export function matches(choices: readonly Choice[], text: string): Choice[] {
  const folded = fold(text);
  if (folded === '') return choices.slice(0, MOST);
  const words = folded.split(' ');
  const found = choices.filter((choice) =>
    words.every((word) => ` ${choice.folded}`.includes(` ${word}`)),
  );
  const begins = ({ folded: name }: Choice): number => Number(!name.startsWith(folded));
  return found.sort((one, other) => begins(one) - begins(other)).slice(0, MOST);
}
