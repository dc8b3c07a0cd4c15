import { textOf } from '../option-rules.ts';

// A token of RFC 9110.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Reads option `vary`: names of request headers, in lower case, each once.
 *
 * @throws TypeError unless it is an array of names of headers
 */
export function headerNames(action: string, names: unknown): readonly string[] {
  if (!Array.isArray(names)) {
    throw new TypeError(`Cannot ${action}: vary as an array expected, got ${textOf(names)}`);
  }
  const wrong = names.findIndex(
    (name) => typeof name !== 'string' || name === '*' || !token.test(name),
  );
  if (wrong !== -1) {
    throw new TypeError(
      `Cannot ${action}: names of request headers in vary expected, got ${textOf(names[wrong])}`,
    );
  }
  return [...new Set((names as string[]).map((name) => name.toLowerCase()))];
}
