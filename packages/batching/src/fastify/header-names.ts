import type { Rule } from '@ticketing/kit';

// A token of RFC 9110.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Option `vary`: names of request headers. Default: none. */
export const someHeaderNames: Rule = {
  expected: 'a list of names of request headers',
  fallback: [],
  test: (value) =>
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && name !== '*' && token.test(name)),
};

/** In lower case, each once. */
export function lowerCaseNames(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}
