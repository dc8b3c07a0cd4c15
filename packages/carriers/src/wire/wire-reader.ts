import { CarrierError, RailError } from '@ticketing/core';
import { showValue } from '@ticketing/kit';

/** Reads a decoded answer: returns values of the type that the method names, and throws `PROTOCOL` for others. */
export interface WireReader {
  record(value: unknown, name: string): WireRecord;
  list(value: unknown, name: string): readonly unknown[];
  text(record: WireRecord, name: string): string;
  number(record: WireRecord, name: string): number;
  boolean(record: WireRecord, name: string): boolean;
  /** Returns the error for an answer that lacks what it must have. */
  error(expected: string, got: unknown): CarrierError;
  /** Returns the text of UTF-8 bytes. */
  decode(bytes: Uint8Array): string;
  /** Returns the value of JSON bytes. */
  json(bytes: Uint8Array): unknown;
  /** Runs a decoder; a value that is not an amount, time or journey becomes `PROTOCOL` with its cause. */
  guard<T>(decoder: () => T): T;
}

export type WireRecord = Readonly<Record<string, unknown>>;

/** Creates the reader of one carrier's answers. */
export function createWireReader(carrier: string): WireReader {
  function error(expected: string, got: unknown, cause?: unknown): CarrierError {
    return new CarrierError(
      'PROTOCOL',
      `Cannot read answer of \`${carrier}\`: it must have ${expected}, got ${show(got)}`,
      cause === undefined ? {} : { cause },
    );
  }
  function decode(bytes: Uint8Array): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch (cause) {
      throw error('UTF-8 text', `${bytes.byteLength} other bytes`, cause);
    }
  }
  return {
    record(value, name) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw error(`an object at \`${name}\``, value);
      }
      return value as WireRecord;
    },
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
