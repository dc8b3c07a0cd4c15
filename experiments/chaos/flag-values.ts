import type { ValueReader } from '@ticketing/cli-kit';
import { SETUPS } from './setups.ts';

/** Name of every set-up. */
export const NAMES = SETUPS.map(({ name }) => name);

/** Names of set-ups. */
export const someSetups: ValueReader<readonly string[]> = {
  expected: `all, or names with commas: ${NAMES.join(', ')}`,
  read(text) {
    if (text === 'all') return NAMES;
    const names = text.split(',');
    return names.every((name) => NAMES.includes(name)) ? names : undefined;
  },
};

/** Seeds, one or several. */
export const someSeeds: ValueReader<readonly number[]> = {
  expected: 'integers from 0 to 4294967295, with commas',
  read(text) {
    const seeds = text.split(',').map(Number);
    const isSeed = (seed: number): boolean => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32;
    return text.trim() !== '' && seeds.every(isSeed) ? seeds : undefined;
  },
};

/** Minutes. */
export const aboveZero: ValueReader<number> = {
  expected: 'a number above 0, at most 600',
  read(text) {
    const number = Number(text);
    return number > 0 && number <= 600 ? number : undefined;
  },
};

/** A command line in one argument: words with blanks between them. */
export const words: ValueReader<readonly string[]> = {
  expected: 'flags in one argument',
  read: (text) => text.split(/\s+/).filter((word) => word !== ''),
};
