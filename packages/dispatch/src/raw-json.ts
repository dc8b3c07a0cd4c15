import { describeValue } from './wire/describe-value.ts';

/**
 * Makes of a value the JSON that a task returns and its caller gets as a Buffer, ready to be sent on. Serialises
 * once, at the call; later changes of the value do not reach the caller.
 *
 * @throws TypeError for what JSON has no text for, as a function or a cycle
 */
export function rawJson(value: unknown): RawJson {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) {
    throw new TypeError(
      `Cannot make raw JSON: a value that JSON can write expected, got ${describeValue(value)}`,
    );
  }
  return { kind: 'ticketing.raw-json', bytes: Buffer.from(text) };
}

/** Recognises what `rawJson` returns, also that of another copy of this package. */
export function isRawJson(value: unknown): value is RawJson {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Partial<RawJson>).kind === 'ticketing.raw-json' &&
    (value as Partial<RawJson>).bytes instanceof Uint8Array
  );
}

/** JSON text that a task returns and its caller gets as a Buffer, without parsing it. Made by `rawJson`. */
export interface RawJson {
  readonly kind: 'ticketing.raw-json';
  readonly bytes: Uint8Array;
}
