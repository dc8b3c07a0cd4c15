import { isNumeric, type Rule, showValue } from './option-rules.ts';

const LONGEST = 60;

/**
 * Formats a value for an error message, as {@link showValue} does, and names lists, plain objects, bytes and modules.
 * Never throws.
 */
export function describeValue(value: unknown): string {
  try {
    return cut(textOf(value, 0));
  } catch {
    return showValue(value);
  }
}

/** Makes the error for a value that its rule refuses, as `wrongOption` does, and describes the value. */
export function wrongValue(
  action: string,
  name: string,
  { expected, range }: Pick<Rule, 'expected' | 'range'>,
  value: unknown,
): TypeError | RangeError {
  const message = `Cannot ${action}: \`${name}\` must be ${expected}, got ${describeValue(value)}`;
  return range && isNumeric(value) ? new RangeError(message) : new TypeError(message);
}

function textOf(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return showValue(value);
  if (Array.isArray(value)) return depth > 1 ? 'a list' : listOf(value, depth);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return bytesOf(value);
  if (Object.prototype.toString.call(value) === '[object Module]') return 'a module';
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return showValue(value);
  const names = Object.keys(value);
  return names.length === 0 ? '{}' : `an object with ${names.join(', ')}`;
}

/** Reads no more of a long list than is shown. */
function listOf(list: readonly unknown[], depth: number): string {
  const shown = list.slice(0, LONGEST).map((each) => textOf(each, depth + 1));
  return `[${shown.join(', ')}]`;
}

function bytesOf(bytes: ArrayBufferView | ArrayBuffer): string {
  const name = bytes.constructor.name;
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name} of ${bytes.byteLength} ${bytes.byteLength === 1 ? 'byte' : 'bytes'}`;
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}
