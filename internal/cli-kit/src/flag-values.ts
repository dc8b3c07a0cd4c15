import { hideSecrets } from './hide-secrets.ts';

/** Reads the value of a flag. */
export interface ValueReader<T> {
  /** Condition of the value, for help and errors: `an integer from 1 to 64`. */
  readonly expected: string;
  /** Values that are words: a misspelt one has an error with the nearest. */
  readonly words?: readonly string[];
  /** Returns `undefined` for a text that is refused. */
  read(text: string): T | undefined;
  /** Removes the secrets that such a value may have from a text that is shown, also from one that is refused. */
  readonly hide?: (text: string) => string;
}

export const anyText: ValueReader<string> = {
  expected: 'text',
  read: (text) => (text.trim() === '' ? undefined : text),
};

export const onOff: ValueReader<boolean> = {
  expected: 'on or off',
  words: ['on', 'off'],
  read: (text) => (text === 'on' || text === 'off' ? text === 'on' : undefined),
};

export const trueFalse: ValueReader<boolean> = {
  expected: 'true or false',
  words: ['true', 'false'],
  read: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
};

/** Decimal digits alone. */
export function integerFrom(min: number, max: number): ValueReader<number> {
  return {
    expected: `an integer from ${min} to ${max}`,
    read(text) {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

/** A decimal fraction. */
export const share: ValueReader<number> = {
  expected: 'a number from 0 to 1',
  read(text) {
    const value = /^(?:\d{1,3}|\d?\.\d{1,9})$/.test(text) ? Number(text) : Number.NaN;
    return value <= 1 ? value : undefined;
  },
};

export function oneOf<Name extends string>(names: readonly Name[]): ValueReader<Name> {
  return {
    expected: `one of ${names.join(', ')}`,
    words: names,
    read: (text) => names.find((name) => name === text),
  };
}

/** Reads names with commas between them, each once, and gives them in the order of the list. `all` stands for all. */
export function someOf<Name extends string>(
  names: readonly Name[],
): ValueReader<readonly [Name, ...Name[]]> {
  return {
    expected: `all, or some of ${names.join(',')}`,
    words: ['all', ...names],
    read(text) {
      const wanted = text === 'all' ? [...names] : text.split(',').map((name) => name.trim());
      const known = names.filter((name) => wanted.includes(name));
      const [first, ...others] = known;
      return first !== undefined && known.length === wanted.length ? [first, ...others] : undefined;
    },
  };
}

/** Reads values with commas between them. */
export function listOf<T>(each: ValueReader<T>): ValueReader<readonly T[]> {
  const { hide } = each;
  return {
    // A comma may be part of a password: then nothing but the last is shown.
    ...(hide && {
      hide: (text: string) =>
        text.split(',').every((one) => each.read(one) !== undefined)
          ? text.split(',').map(hide).join()
          : hide(text),
    }),
    expected: `a list, with commas, of which each is ${each.expected}`,
    read(text) {
      const values = text.split(',').map((one) => each.read(one));
      return values.every((value) => value !== undefined) ? values : undefined;
    },
  };
}

/** Reader that also takes a word, which is its own value. */
export function wordOr<Word extends string, T>(
  word: Word,
  { expected, words = [], read, hide }: ValueReader<T>,
): ValueReader<T | Word> {
  return {
    ...(hide && { hide: (text: string) => (text === word ? word : hide(text)) }),
    // A list of alternatives goes on; a single one gets its "or".
    expected: `${word}, ${/^\w+, /.test(expected) ? '' : 'or '}${expected}`,
    words: [word, ...words],
    read: (text) => (text === word ? word : read(text)),
  };
}

/** Reads a URL that paths are added to, and returns it without slashes at the end. */
export const httpUrl: ValueReader<string> = {
  expected: 'an http or https URL',
  hide: hideSecrets,
  read(text) {
    // A path after a query would be a part of it.
    if (!/^https?:[^?#]*$/.test(text) || !URL.canParse(text)) return undefined;
    let end = text.length;
    while (text[end - 1] === '/') end -= 1;
    return text.slice(0, end);
  },
};
