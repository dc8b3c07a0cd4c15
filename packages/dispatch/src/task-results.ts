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

/**
 * Marks a value that a task returns: these buffers of it are moved to the caller where the transport can, else copied.
 * The task must not use them afterwards.
 *
 * @throws TypeError for a list that holds anything but ArrayBuffers
 */
export function transferred<T>(value: T, transfer: readonly ArrayBuffer[]): Transferred<T> {
  if (!Array.isArray(transfer)) throw wrong(transfer);
  for (const buffer of transfer) {
    if (!(buffer instanceof ArrayBuffer)) throw wrong(buffer);
  }
  return { kind: 'ticketing.transferred', value, transfer };
}

/** Recognises what `transferred` returns, also that of another copy of this package. */
export function isTransferred(value: unknown): value is Transferred<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Partial<Transferred<unknown>>).kind === 'ticketing.transferred' &&
    Array.isArray((value as Partial<Transferred<unknown>>).transfer)
  );
}

function wrong(value: unknown): TypeError {
  return new TypeError(
    `Cannot mark what is transferred: transfer must be an array of ArrayBuffers, got ${describeValue(value)}`,
  );
}

/** A value whose buffers are moved to the caller where the transport can, else copied. Made by `transferred`. */
export interface Transferred<T> {
  readonly kind: 'ticketing.transferred';
  readonly value: T;
  readonly transfer: readonly ArrayBuffer[];
}
