import { fold } from '../../search/fold.ts';
import type { Suggested } from './suggestions.ts';

/** A name of a station or city, as the list of the page has it. */
export interface Choice {
  readonly name: string;
  /** Folded, for comparing. */
  readonly folded: string;
  /** The station's own name, if this one is another name of it. */
  readonly of: string | undefined;
  readonly kind: Suggested['kind'];
}

const MOST = 8;

/** Returns stations in which each typed word begins a word: first the ones that begin with the text. Each once, eight at most. */
export function matches(choices: readonly Choice[], text: string): Choice[] {
  const folded = fold(text);
  const words = folded.split(' ');
  const found = choices.filter((choice) =>
    words.every((word) => ` ${choice.folded}`.includes(` ${word}`)),
  );
  const begins = ({ folded: name }: Choice): number => Number(!name.startsWith(folded));
  found.sort((one, other) => begins(one) - begins(other));
  const byName = new Map<string, Choice>();
  for (const choice of found) {
    const own = choice.of ?? choice.name;
    if (!byName.has(own)) byName.set(own, choice);
  }
  return [...byName.values()].slice(0, MOST);
}

/** Returns choices as the server would suggest them. */
export function suggestedOf(choices: readonly Choice[], text: string): Suggested[] {
  return choices.map(({ name, of, kind }) => ({
    kind,
    id: name,
    name: of ?? name,
    label: name,
    country: '',
    ...(of !== undefined && { alias: name }),
    matched: matchedIn(name, text),
    searchName: name,
  }));
}

/** Ranges, in UTF-16, of a name whose words begin with typed words. Letters with accents count as one only where they are one. */
function matchedIn(name: string, text: string): [number, number][] {
  const words = fold(text).split(' ').filter(Boolean);
  return [...name.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(({ 0: word, index }): [number, number][] => {
    const begun = words.find((one) => fold(word).startsWith(one));
    return begun === undefined ? [] : [[index, index + begun.length]];
  });
}
