import { types } from 'node:util';
import { showValue } from '../options/option-rules.ts';

/** A thrown value as plain data. */
type Encoded =
  | { readonly kind: 'value'; readonly value: unknown }
  | EncodedError
  | { readonly kind: 'object'; readonly own: Members }
  /** An error or object that occurs again, in a cycle or a second time, by its number from 0. */
  | { readonly kind: 'again'; readonly index: number };

interface EncodedError {
  readonly kind: 'error';
  /** Built-in class of the error, or the package's own. */
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly own: Members;
  readonly cause?: Encoded;
  readonly errors?: readonly Encoded[];
}

/** Pairs, because a key may be `__proto__`; the third is 1 for a property that is not enumerable. */
type Member = readonly [key: string, value: Encoded, hidden?: 1];
type Members = readonly Member[];

type ErrorClass = new (message: string) => Error;
const classes: Readonly<Record<string, ErrorClass>> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

/** Errors of a package, and objects that it can send. */
export interface ErrorCodecOptions {
  /** The package's own class of errors, which is restored. */
  readonly own: {
    readonly type: string;
    is(value: unknown): boolean;
    make(message: string, member: (key: string) => unknown): Error;
  };
  /** True for an object whose clone arrives. */
  clones(value: object): boolean;
  /** Returns what is sent for a thrown value that cannot cross: a function, a symbol, an object whose getters throw. */
  replace(value: unknown): unknown;
}

export interface ErrorCodec {
  /**
   * Returns a thrown value as plain data: class, name, message, stack, code, own properties, causes, errors of an aggregate.
   * Leaves out what cannot be cloned or read. Throws only what `replace` throws.
   */
  encode(error: unknown): unknown;
  /**
   * Returns what was thrown, from such data. A class that is not built in becomes its nearest built-in ancestor.
   *
   * @throws TypeError for any other data
   */
  decode(data: unknown): unknown;
}

/** Creates what carries thrown values between processes. */
export function createErrorCodec(options: ErrorCodecOptions): ErrorCodec {
  return {
    encode: (error) => {
      const encoded = new ErrorEncoder(options).encode(error, 0);
      return encoded ?? new ErrorEncoder(options).replaced(error);
    },
    decode: (data) => new ErrorDecoder(options).decode(data as Encoded),
  };
}

const MAX_DEPTH = 16;
/** Most errors and objects in one thrown value. */
const MAX_PARTS = 200;
/** Own properties of an error that are sent by themselves. */
const ofEvery: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause']);

class ErrorEncoder {
  readonly #indexes = new Map<object, number>();
  readonly #options: ErrorCodecOptions;

  constructor(options: ErrorCodecOptions) {
    this.#options = options;
  }

  /** Encodes what is sent for a value without a code of its own, also beyond the bounds. */
  replaced(value: unknown): Encoded {
    const replacement = this.#options.replace(value);
    if (!isError(Object(replacement))) return { kind: 'value', value: replacement };
    this.#indexes.set(replacement as Error, this.#indexes.size);
    return this.#encodeError(replacement as Error, 0);
  }

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
    if (this.#options.clones(value)) return { kind: 'value', value };
    // An object with methods keeps its other members, if it has any; deeper ones are left out whole.
    if (depth > 0) return undefined;
    this.#indexes.set(value, this.#indexes.size);
    const own = this.#members(value, Object.keys(value), depth);
    return own.length === 0 ? undefined : { kind: 'object', own };
  }

  #encodeError(error: Error, depth: number): EncodedError {
    const type = this.#options.own.is(error) ? this.#options.own.type : typeOf(error);
    const name = text(read(error, 'name')) ?? 'Error';
    const message = text(read(error, 'message')) ?? '';
    const isAggregate = type === 'AggregateError';
    const keys = Object.getOwnPropertyNames(error).filter(
      (key) => !ofEvery.has(key) && !(isAggregate && key === 'errors'),
    );
    const own = this.#members(error, keys, depth);
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
      ...(isAggregate && { errors: this.#errors(error, depth) }),
    };
  }

  #errors(error: Error, depth: number): Encoded[] {
    const errors = read(error, 'errors');
    if (!Array.isArray(errors)) return [];
    return errors
      .slice(0, MAX_PARTS)
      .map((each) => this.encode(each, depth + 1) ?? this.replaced(each));
  }

  #members(value: object, keys: readonly string[], depth: number): Member[] {
    const members: Member[] = [];
    for (const key of keys) {
      try {
        const encoded = this.encode((value as Record<string, unknown>)[key], depth + 1);
        if (encoded === undefined) continue;
        const isShown = Object.prototype.propertyIsEnumerable.call(value, key);
        members.push(isShown ? [key, encoded] : [key, encoded, 1]);
      } catch {
        // Its getter throws: leave it out.
      }
    }
    return members;
  }
}

class ErrorDecoder {
  readonly #parts: unknown[] = [];
  readonly #options: ErrorCodecOptions;

  constructor(options: ErrorCodecOptions) {
    this.#options = options;
  }

  decode(data: Encoded): unknown {
    switch (data?.kind) {
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
      case 'error':
        return this.#decodeError(data);
      default:
        throw new TypeError(`Cannot read a thrown value: it is ${showValue(data)}`);
    }
  }

  #decodeError(data: EncodedError): Error {
    const { name, message, stack, own } = data;
    if (![name, message, stack].every((each) => typeof each === 'string') || !Array.isArray(own)) {
      throw new TypeError(
        'Cannot read a thrown value: an error has a name, a message, a stack and properties',
      );
    }
    const error = this.#make(data);
    this.#parts.push(error);
    if (error.name !== name) hide(error, 'name', name);
    hide(error, 'stack', stack);
    this.#define(error, own);
    if (data.cause !== undefined) hide(error, 'cause', this.decode(data.cause));
    if (data.errors !== undefined) {
      const errors = data.errors.map((each) => this.decode(each));
      hide(error, 'errors', errors);
    }
    return error;
  }

  #make({ type, name, message, own }: EncodedError): Error {
    if (type === this.#options.own.type) {
      return this.#options.own.make(message, (key) => {
        const member = own.find(([each]) => each === key)?.[1];
        return member?.kind === 'value' ? member.value : undefined;
      });
    }
    if (type === 'DOMException') return new DOMException(message, name);
    if (type === 'AggregateError') return new AggregateError([], message);
    if (type === 'SuppressedError') return suppressedError(message);
    return new (Object.hasOwn(classes, type) ? (classes[type] as ErrorClass) : Error)(message);
  }

  #define(target: object, own: Members): void {
    for (const [key, member, hidden] of own) {
      const value = this.decode(member);
      const settings = { value, writable: true, configurable: true, enumerable: hidden !== 1 };
      Object.defineProperty(target, key, settings);
    }
  }
}

/** Node.js has the class from version 24 on. */
function suppressedError(message: string): Error {
  const { SuppressedError: Class } = globalThis as {
    readonly SuppressedError?: new (error: unknown, suppressed: unknown, message: string) => Error;
  };
  return Class === undefined ? new Error(message) : new Class(undefined, undefined, message);
}

const withErrors: ReadonlySet<string> = new Set(['AggregateError', 'SuppressedError']);

function isError(value: object): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

function typeOf(error: Error): string {
  if (error instanceof DOMException) return 'DOMException';
  for (let at: object | null = error; at !== null; at = Object.getPrototypeOf(at)) {
    const made = read(at, 'constructor');
    const name = typeof made === 'function' ? made.name : '';
    if (withErrors.has(name) || Object.hasOwn(classes, name)) return name;
  }
  return 'Error';
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
