import { deserialize, serialize } from 'node:v8';
import { createErrorCodec, type Filled, refuseLostObjects } from '@ticketing/kit';
import { BatchingError, type BatchingErrorCode, type BatchingErrorData } from '../errors.ts';

/** Conversion of values and failures to bytes. `encode` may throw: then each process loads for itself, for a minute. */
export interface SharedCodec<V> {
  readonly encode: (value: V) => Uint8Array;
  /** Throws for bytes that it does not know: then the process loads for itself. */
  readonly decode: (bytes: Uint8Array) => V;
  /** Default: class, name, message, stack, cause and fields of an error, as structured clones; fields that cannot be cloned are left out. */
  readonly encodeError?: ((error: unknown) => Uint8Array) | undefined;
  /** Default: an error with these, of its built-in class or the nearest one. */
  readonly decodeError?: ((bytes: Uint8Array) => unknown) | undefined;
}

/**
 * Values as structured clones, by `node:v8`: Dates, Maps and binary data stay what they are; classes and functions do not. A value
 * with a platform's object that would arrive empty (a URL, Headers, a Blob) is not shared.
 * Bytes of a newer Node may be unknown to an older one. For engines whose writers are trusted.
 */
export const structuredCodec: Filled<SharedCodec<unknown>> = {
  encode: cloneToBytes,
  decode: (bytes) => deserialize(bytes),
  encodeError: (error) => serialize(errors.encode(error)),
  decodeError: (bytes) => errors.decode(deserialize(bytes)),
};

const errors = createErrorCodec({
  own: {
    type: 'BatchingError',
    is: BatchingError.is,
    make: (message, member) => {
      const data = (member('data') ?? { name: '' }) as BatchingErrorData;
      return new BatchingError(member('code') as BatchingErrorCode, message, { data });
    },
  },
  clones: (value) => {
    try {
      cloneToBytes(value);
      return true;
    } catch {
      return false;
    }
  },
  replace: String,
});

function cloneToBytes(value: unknown): Uint8Array {
  const bytes = serialize(value);
  refuseLostObjects(value, 'v8', { bytes: bytes.byteLength });
  return bytes;
}
