import { table } from './book.ts';

/** Numbers from 0 to 1 that are the same for a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns texts as people type them: beginnings, errors and changed orders of names, and some that are no names. */
export function randomTexts(count: number, seed: number): string[] {
  const random = randomFrom(seed);
  const pick = (length: number): number => Math.floor(random() * length);
  return Array.from({ length: count }, () => {
    const row = pick(table.length);
    const names = [table.nameOf(row), ...table.aliasesOf(row).map(({ name }) => name)];
    let text = names[pick(Math.min(names.length, 3))] ?? '';
    const kind = pick(8);
    if (kind < 3) text = text.slice(0, 1 + pick(text.length));
    if (kind === 3 || kind === 4)
      text = text
        .split(' ')
        .sort(() => random() - 0.5)
        .join(' ');
    if (kind > 4) {
      const at = pick(text.length);
      const letter = 'abcdefghijklmnopqrstuvwxyz'[pick(26)] ?? '';
      if (kind === 5) text = text.slice(0, at) + letter + text.slice(at + 1);
      if (kind === 6) text = text.slice(0, at) + text.slice(at + 1);
      if (kind === 7)
        text = text.slice(0, at) + (text[at + 1] ?? '') + (text[at] ?? '') + text.slice(at + 2);
    }
    return text.slice(0, 100);
  });
}
