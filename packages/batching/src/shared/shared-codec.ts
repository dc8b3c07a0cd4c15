import { deserialize, serialize } from 'node:v8';
import type { Filled } from '@ticketing/kit';

/** How values and failures travel. `encode` may throw: then each process loads for itself, for a minute. */
export interface SharedCodec<V> {
  readonly encode: (value: V) => Uint8Array;
  /** Throws for bytes that it does not know: then the process loads for itself. */
  readonly decode: (bytes: Uint8Array) => V;
  /** Default: name, message, stack, cause and fields of an error, as structured clones. */
  readonly encodeError?: ((error: unknown) => Uint8Array) | undefined;
  /** Default: an `Error` with these; its class is not restored. */
  readonly decodeError?: ((bytes: Uint8Array) => unknown) | undefined;
}

/**
 * Values as structured clones, by `node:v8`: Dates, Maps and binary data stay what they are; classes and functions do not.
 * Bytes of a newer Node may be unknown to an older one. For engines whose writers are trusted.
 */
export const structuredCodec: Filled<SharedCodec<unknown>> = {
  encode: (value) => serialize(value),
  decode: (bytes) => deserialize(bytes),
  encodeError: (error) => serialize(errorToPlain(error, MAX_CAUSES)),
  decodeError: (bytes) => errorFromPlain(deserialize(bytes)),
};

const MAX_CAUSES = 5;

type PlainError =
  | { readonly kind: 'value'; readonly value: unknown }
  | {
      readonly kind: 'error';
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
      readonly fields: Readonly<Record<string, unknown>>;
      readonly cause: PlainError | undefined;
    };

function errorToPlain(error: unknown, causes: number): PlainError {
  if (!(error instanceof Error)) return { kind: 'value', value: cloneable(error) };
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(error)) {
    if (name !== 'cause') fields[name] = cloneable(value);
  }
  return {
    kind: 'error',
    name: String(error.name),
    message: String(error.message),
    stack: error.stack,
    fields,
    cause:
      error.cause === undefined || causes === 0 ? undefined : errorToPlain(error.cause, causes - 1),
  };
}

/** What cannot be cloned becomes text. */
function cloneable(value: unknown): unknown {
  try {
    serialize(value);
    return value;
  } catch {
    return String(value);
  }
}

function errorFromPlain(plain: PlainError): unknown {
  if (plain.kind === 'value') return plain.value;
  const { name, message, stack, fields, cause } = plain;
  const error = new Error(
    message,
    cause === undefined ? undefined : { cause: errorFromPlain(cause) },
  );
  const hidden = { configurable: true, writable: true, enumerable: false };
  Object.defineProperty(error, 'name', { ...hidden, value: name });
  if (stack !== undefined) Object.defineProperty(error, 'stack', { ...hidden, value: stack });
  return Object.assign(error, fields);
}
