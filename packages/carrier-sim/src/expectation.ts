import { describeValue } from './describe-value.ts';

/** Checks of untyped values; every complaint reads "Cannot <doing>: expected <what>, got <value>". */
export interface Expectation {
  /** A plain object with no keys but the known ones. */
  object(value: unknown, what: { name: string; keys: readonly string[] }): Record<string, unknown>;
  /** A number from `min` to `max`. */
  number(value: unknown, what: { name: string; min: number; max: number; whole?: true }): number;
  /** A non-empty text. */
  text(value: unknown, name: string): string;
  /** One of some texts. */
  oneOf<T extends string>(value: unknown, what: { name: string; known: readonly T[] }): T;
  /** Throws the TypeError that `expected` was not met. */
  fail(expected: string, value: unknown): never;
}

/**
 * Creates the checks of one act, named in their complaints.
 *
 * Each check throws a TypeError for a value of the wrong type or with unknown keys, and a RangeError for one out of range.
 */
export function createExpectation(doing: string): Expectation {
  const complain = (expected: string, value: unknown): string =>
    `Cannot ${doing}: expected ${expected}, got ${describeValue(value)}`;
  const fail = (expected: string, value: unknown): never => {
    throw new TypeError(complain(expected, value));
  };
  return {
    fail,
    object(value, { name, keys }) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return fail(`${name} to be an object`, value);
      }
      const unknown = Object.keys(value).find((key) => !keys.includes(key));
      if (unknown === undefined) return value as Record<string, unknown>;
      return fail(`${name} to have only ${keys.join(', ')}`, unknown);
    },
    number(value, { name, min, max, whole }) {
      const expected = `${name} to be ${whole ? 'a whole' : 'a'} number from ${min} to ${max}`;
      if (typeof value !== 'number') return fail(expected, value);
      if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
      throw new RangeError(complain(expected, value));
    },
    text(value, name) {
      if (typeof value === 'string' && value !== '') return value;
      return fail(`${name} to be a non-empty string`, value);
    },
    oneOf(value, { name, known }) {
      const found = known.find((each) => each === value);
      if (found !== undefined) return found;
      throw new RangeError(complain(`${name} to be one of ${known.join(', ')}`, value));
    },
  };
}
