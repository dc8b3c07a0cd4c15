import { CarrierError, RailError } from '@ticketing/core';
import { showValue } from '@ticketing/kit';
import { refusePage } from './page-for-people.ts';

/** Reads a decoded answer: returns values of the type that the method names, and throws `PROTOCOL` for others. */
export interface WireReader {
  record(value: unknown, name: string): WireRecord;
  list(value: unknown, name: string): readonly unknown[];
  text(record: WireRecord, name: string): string;
  number(record: WireRecord, name: string): number;
  boolean(record: WireRecord, name: string): boolean;
  /** Returns the items of a list. One record or text in place of a list is a list of one; `null`, and a field that is absent, are none. */
  items(value: unknown, name: string): readonly unknown[];
  /** Returns the records of a list. One record in place of a list is a list of one; `null`, and a field that is absent, are none. */
  records(value: unknown, name: string): readonly WireRecord[];
  /** Returns a text that may be absent, without white space around it, 500 characters at most. What is no text, or empty, is absent. */
  optionalText(record: WireRecord, name: string): string | undefined;
  /** Returns a number that may be absent or `null`, also one that is written as a text. */
  optionalNumber(record: WireRecord, name: string): number | undefined;
  /** Returns whether a field is `true`, also as a text; all else is not. */
  isTrue(record: WireRecord, name: string): boolean;
  /** Returns the error for an answer that lacks what it must have. */
  error(expected: string, got: unknown): CarrierError;
  /**
   * Returns the text of UTF-8 bytes.
   *
   * @throws CarrierError `PROTOCOL` for other bytes, `AUTH` or `OVERLOADED` for a page for people
   */
  decode(bytes: Uint8Array): string;
  /** Returns the value of JSON bytes. */
  json(bytes: Uint8Array): unknown;
  /** Runs a decoder; a value that is not an amount, time or journey becomes `PROTOCOL` with its cause. */
  guard<T>(decoder: () => T): T;
}

export type WireRecord = Readonly<Record<string, unknown>>;

/** Most characters of a text that is shown. */
const MAX_TEXT = 500;
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** Creates the reader of one carrier's answers. */
export function createWireReader(carrier: string): WireReader {
  function error(expected: string, got: unknown, cause?: unknown): CarrierError {
    return new CarrierError(
      'PROTOCOL',
      `Cannot read answer of \`${carrier}\`: it must have ${expected}, got ${show(got)}`,
      cause === undefined ? {} : { cause },
    );
  }
  function utf8(bytes: Uint8Array): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch (cause) {
      throw error('UTF-8 text', `${bytes.byteLength} other bytes`, cause);
    }
  }
  function decode(bytes: Uint8Array): string {
    const text = utf8(bytes);
    refusePage(carrier, text);
    return text;
  }
  function record(value: unknown, name: string): WireRecord {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw error(`an object at \`${name}\``, value);
    }
    return value as WireRecord;
  }
  function items(value: unknown, name: string): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    if (typeof value !== 'object' && typeof value !== 'string')
      throw error(`a list at \`${name}\``, value);
    return [value];
  }
  return {
    record,
    list(value, name) {
      if (!Array.isArray(value)) throw error(`a list at \`${name}\``, value);
      return value;
    },
    text(record, name) {
      const value = record[name];
      if (typeof value !== 'string') throw error(`a string at \`${name}\``, value);
      return value;
    },
    number(record, name) {
      const value = record[name];
      if (typeof value !== 'number') throw error(`a number at \`${name}\``, value);
      return value;
    },
    boolean(record, name) {
      const value = record[name];
      if (typeof value !== 'boolean') throw error(`a boolean at \`${name}\``, value);
      return value;
    },
    items,
    records: (value, name) => items(value, name).map((one) => record(one, name)),
    optionalText(record, name) {
      const value = record[name];
      return (typeof value === 'string' && value.trim().slice(0, MAX_TEXT)) || undefined;
    },
    optionalNumber(record, name) {
      const value = record[name] ?? undefined;
      if (value === undefined || typeof value === 'number') return value;
      if (typeof value === 'string' && NUMBER.test(value)) return Number(value);
      throw error(`a number at \`${name}\``, value);
    },
    isTrue: (record, name) => record[name] === true || record[name] === 'true',
    error,
    decode,
    json(bytes) {
      const text = decode(bytes);
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw error('JSON', text, cause);
      }
    },
    guard(decoder) {
      try {
        return decoder();
      } catch (cause) {
        if (RailError.is(cause))
          throw error(cause.data.expected ?? 'a sound answer', cause.data.got, cause);
        throw cause;
      }
    },
  };
}

/** Writes a value as errors show it: an object, a list or an empty text is only named. */
function show(value: unknown): string {
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return showValue(value);
}
