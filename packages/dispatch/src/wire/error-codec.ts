import { types } from 'node:util';
import { showValue } from '@ticketing/kit';
import { DispatchError, type DispatchErrorCode, type DispatchErrorData } from '../errors.ts';
import { cloneToBytes } from './clone-bytes.ts';
import { jsonKeeps } from './json-keeps.ts';

/** A thrown value as plain data. */
type Encoded =
  | { readonly kind: 'value'; readonly value: unknown }
  | EncodedError
  | { readonly kind: 'object'; readonly own: Members }
  /** An error or object that occurs again, in a cycle or a second time, by its number from 0. */
  | { readonly kind: 'again'; readonly index: number };

interface EncodedError {
  readonly kind: 'error';
  /** Its built-in class, or DispatchError. */
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly own: Members;
  readonly cause?: Encoded;
  readonly errors?: readonly Encoded[];
}

/** Pairs, since a key may be `__proto__`. */
type Members = readonly (readonly [key: string, value: Encoded])[];

type ErrorClass = new (message: string) => Error;
const classes: Readonly<Record<string, ErrorClass>> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

const MAX_DEPTH = 16;
/** Most errors and objects in one thrown value. */
const MAX_PARTS = 200;

/**
 * Returns a thrown value as plain data: class, name, message, stack, code, own properties, causes, errors of an aggregate. Leaves
 * out what cannot be cloned or read. Never throws.
 */
export function encodeError(error: unknown): unknown {
  return new ErrorEncoder().encode(error, 0) ?? unreadable(error);
}

/** Returns what was thrown, from such data. A class that is not built in becomes its nearest built-in ancestor. */
export function decodeError(data: unknown): unknown {
  return new ErrorDecoder().decode(data as Encoded);
}

class ErrorEncoder {
  readonly #indexes = new Map<object, number>();

  /** @returns `undefined` for a value that cannot be cloned or read, or is beyond the bounds */
  encode(value: unknown, depth: number): Encoded | undefined {
    try {
      return this.#encode(value, depth);
    } catch {
      return undefined;
    }
  }

  #encode(value: unknown, depth: number): Encoded | undefined {
    if (typeof value !== 'object' || value === null) {
      return typeof value === 'function' || typeof value === 'symbol'
        ? undefined
        : { kind: 'value', value };
    }
    const index = this.#indexes.get(value);
    if (index !== undefined) return { kind: 'again', index };
    if (depth > MAX_DEPTH || this.#indexes.size >= MAX_PARTS) return undefined;
    if (isError(value)) {
      this.#indexes.set(value, this.#indexes.size);
      return this.#encodeError(value, depth);
    }
    if (canBeCloned(value)) return { kind: 'value', value };
    // An object with methods keeps its other members; deeper ones are left out whole.
    if (depth > 0) return undefined;
    this.#indexes.set(value, this.#indexes.size);
    return { kind: 'object', own: this.#members(value, [], depth) };
  }

  #encodeError(error: Error, depth: number): EncodedError {
    const type = typeOf(error);
    const name = text(read(error, 'name')) ?? 'Error';
    const message = text(read(error, 'message')) ?? '';
    const skipped = ['name', 'message', 'stack', 'cause'];
    if (type === 'AggregateError') skipped.push('errors');
    const own = this.#members(error, skipped, depth);
    const code = read(error, 'code');
    if (type !== 'DOMException' && code !== undefined && !own.some(([key]) => key === 'code')) {
      const encoded = this.encode(code, depth + 1);
      if (encoded !== undefined) own.push(['code', encoded]);
    }
    const cause = Object.hasOwn(error, 'cause')
      ? this.encode(read(error, 'cause'), depth + 1)
      : undefined;
    return {
      kind: 'error',
      type,
      name,
      message,
      stack: text(read(error, 'stack')) ?? `${name}: ${message}`,
      own,
      ...(cause !== undefined && { cause }),
      ...(type === 'AggregateError' && { errors: this.#errors(error, depth) }),
    };
  }

  #errors(error: Error, depth: number): Encoded[] {
    const errors = read(error, 'errors');
    if (!Array.isArray(errors)) return [];
    return errors
      .slice(0, MAX_PARTS)
      .map((each) => this.encode(each, depth + 1) ?? unreadable(each));
  }

  #members(value: object, skipped: readonly string[], depth: number): [string, Encoded][] {
    const members: [string, Encoded][] = [];
    for (const key of Object.keys(value)) {
      if (skipped.includes(key)) continue;
      try {
        const encoded = this.encode((value as Record<string, unknown>)[key], depth + 1);
        if (encoded !== undefined) members.push([key, encoded]);
      } catch {
        // Its getter throws: leave it out.
      }
    }
    return members;
  }
}

class ErrorDecoder {
  readonly #parts: unknown[] = [];

  decode(data: Encoded): unknown {
    switch (data.kind) {
      case 'value':
        return data.value;
      case 'again':
        return this.#parts[data.index];
      case 'object': {
        const object = {};
        this.#parts.push(object);
        this.#define(object, data.own);
        return object;
      }
      default:
        return this.#decodeError(data);
    }
  }

  #decodeError(data: EncodedError): Error {
    const error = make(data);
    this.#parts.push(error);
    if (error.name !== data.name) hide(error, 'name', data.name);
    hide(error, 'stack', data.stack);
    this.#define(error, data.own);
    if (data.cause !== undefined) hide(error, 'cause', this.decode(data.cause));
    if (data.errors !== undefined) {
      hide(
        error,
        'errors',
        data.errors.map((each) => this.decode(each)),
      );
    }
    return error;
  }

  #define(target: object, own: Members): void {
    for (const [key, member] of own) {
      const value = this.decode(member);
      const settings = { value, writable: true, configurable: true, enumerable: true };
      Object.defineProperty(target, key, settings);
    }
  }
}

function make({ type, name, message, own }: EncodedError): Error {
  if (type === 'DOMException') return new DOMException(message, name);
  if (type === 'AggregateError') return new AggregateError([], message);
  if (type === 'DispatchError') {
    const value = (key: string): unknown => {
      const member = own.find(([each]) => each === key)?.[1];
      return member?.kind === 'value' ? member.value : undefined;
    };
    const data = (value('data') ?? { name: '' }) as DispatchErrorData;
    return new DispatchError(value('code') as DispatchErrorCode, message, { data });
  }
  return new (classes[type] ?? Error)(message);
}

function isError(value: object): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

function typeOf(error: Error): string {
  if (DispatchError.is(error)) return 'DispatchError';
  if (error instanceof DOMException) return 'DOMException';
  for (let at: object | null = error; at !== null; at = Object.getPrototypeOf(at)) {
    const made = read(at, 'constructor');
    const name = typeof made === 'function' ? made.name : '';
    if (name === 'AggregateError' || Object.hasOwn(classes, name)) return name;
  }
  return 'Error';
}

function canBeCloned(value: object): boolean {
  try {
    if (!jsonKeeps(value)) cloneToBytes(value);
    return true;
  } catch {
    return false;
  }
}

function read(target: object, key: string): unknown {
  try {
    return (target as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function hide(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, configurable: true });
}

/** Replaces what cannot cross: a function, a symbol, an object whose getters throw. */
function unreadable(value: unknown): Encoded {
  const message = `Cannot send what was thrown: ${showValue(value)} could not be cloned`;
  return {
    kind: 'error',
    type: 'DispatchError',
    name: 'DispatchError',
    message,
    stack: `DispatchError: ${message}`,
    own: [
      ['code', { kind: 'value', value: 'ERR_NOT_CLONEABLE' }],
      ['data', { kind: 'value', value: { name: 'worker' } }],
    ],
  };
}
