import { type Rule, showValue } from '@ticketing/kit';

/**
 * Expected form of a value that no compiler checked: a rule, a list of one shape, an object, or absent or of a shape. A function
 * returns the shape of a value that may have one of several.
 */
export type Shape =
  | Rule
  | readonly [Shape]
  | { readonly optional: Shape }
  | { readonly [field: string]: Shape }
  | ((value: unknown) => Shape);

/** First field of a value that does not match its shape. */
export interface WrongField {
  /** Path from the value, `offers[0].fetchedAt`; empty for the value itself. */
  readonly path: string;
  readonly expected: string;
  readonly got: unknown;
}

/** Returns the first wrong field of a value, in the order of its shape. */
export function firstWrong(value: unknown, shape: Shape): WrongField | undefined {
  if (typeof shape === 'function') return firstWrong(value, shape(value));
  if ('optional' in shape) {
    return value === undefined ? undefined : firstWrong(value, shape.optional);
  }
  const wrong = (expected: string): WrongField => ({ path: '', expected, got: value });
  if (isRule(shape)) return shape.test(value) ? undefined : wrong(shape.expected);
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return wrong('a list');
    for (let index = 0; index < value.length; index++) {
      const found = firstWrong(value[index], shape[0]);
      if (found !== undefined) return within(`[${index}]`, found);
    }
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return wrong('an object');
  for (const name in shape) {
    // A member of Object.prototype is none of a shape.
    if (!Object.hasOwn(shape, name)) continue;
    const field = (value as Readonly<Record<string, unknown>>)[name];
    const found = firstWrong(field, (shape as Readonly<Record<string, Shape>>)[name] as Shape);
    if (found !== undefined) return within(name, found);
  }
  return undefined;
}

function isRule(shape: Shape): shape is Rule {
  return 'test' in shape && typeof shape.test === 'function';
}

function within(outer: string, { path, ...rest }: WrongField): WrongField {
  const dot = path === '' || path.startsWith('[') ? '' : '.';
  return { path: outer + dot + path, ...rest };
}

/** Returns a sentence about a wrong field: `` `offers[0].fetchedAt` must be a number, got 2026 ``. */
export function explain({ path, expected, got }: WrongField): string {
  return got === undefined
    ? `\`${path}\` is missing`
    : `\`${path}\` must be ${expected}, got ${showValue(got)}`;
}

export const aText: Rule = {
  expected: 'a text',
  test: (value) => typeof value === 'string',
};

export const aNumber: Rule = {
  expected: 'a number',
  test: Number.isFinite,
};
