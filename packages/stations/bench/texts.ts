import type { StationTable } from '../src/table/station-table.ts';

const NAMES = 100;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Numbers from 0 to 1 that are the same for a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Names of stations that people travel to. */
function namesOf(table: StationTable, random: () => number): string[] {
  const names: string[] = [];
  while (names.length < NAMES) {
    const row = Math.floor(random() * table.length);
    if ((table.weight[row] ?? 0) > 40) names.push(table.nameOf(row));
  }
  return names;
}

/** Every keystroke of some names. */
export function prefixes(table: StationTable): string[] {
  return namesOf(table, randomFrom(1)).flatMap((name) =>
    Array.from({ length: name.length }, (_, at) => name.slice(0, at + 1)),
  );
}

/** Names with one error, in the first word of at least five letters: replaced, left out, added, swapped. */
export function typingErrors(table: StationTable): string[] {
  const random = randomFrom(2);
  const pick = (length: number): number => Math.floor(random() * length);
  return [...namesOf(table, random), ...namesOf(table, random)].map((name) => {
    const at = 1 + pick(Math.min(name.length, 8) - 2);
    const letter = LETTERS[pick(LETTERS.length)] ?? 'e';
    const [before, after] = [name.slice(0, at), name.slice(at)];
    const changed = [
      `${before}${letter}${after.slice(1)}`,
      `${before}${after.slice(1)}`,
      `${before}${letter}${after}`,
      `${before}${after[1] ?? ''}${after[0] ?? ''}${after.slice(2)}`,
    ];
    return changed[pick(changed.length)] ?? name;
  });
}
