import {
  isAnyArrayBuffer,
  isBoxedPrimitive,
  isDate,
  isMap,
  isRegExp,
  isSet,
  isTypedArray,
} from 'node:util/types';

const MAX_DEPTH = 500;

/**
 * Makes one string of any plain data: equal strings if, and only if, the data is equal.
 *
 * - Types count: `'1'`, `1`, `1n` and `true` differ, as do `null` and `undefined`, and `Buffer` and `Uint8Array`.
 *   Text is prefixed by its length, so no text can forge structure.
 * - Order counts in the parts and in arrays, not among the fields of an object or the entries of a Map or Set.
 * - A field that is `undefined` equals an absent one; an element or a part that is `undefined` counts. A hole
 *   of an array is `undefined`. `-0` equals `0`, `NaN` equals `NaN`.
 * - Dates count by their time, RegExps by source and flags, URLs by `href`, typed arrays and buffers by kind
 *   and bytes, symbols by their key in `Symbol.for`. Of these, of arrays, Maps and Sets, extra fields are not read.
 * - Each own enumerable field is read once. No `toJSON`, no `valueOf` is called.
 *
 * Cost: time and length grow with the data, read as a tree: what is reached twice is written twice.
 * Fields and entries are sorted. Nothing is kept. Hash the key if it is long or holds secrets.
 *
 * @throws TypeError with the path of what cannot be compared by value: functions, instances of classes,
 *   Promises, WeakMaps, boxed primitives, symbols that are not registered, invalid Dates, cycles
 * @throws RangeError for data nested deeper than 500 levels
 * @example
 * canonicalKey('user', 7, { b: 2, a: 1 }) === canonicalKey('user', 7, { a: 1, b: 2 }); // true
 */
export function canonicalKey(...parts: unknown[]): string {
  let code = '';
  let trail: Trail | undefined;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (typeof part === 'string') code += text(part);
    else {
      trail ??= { path: [], above: new Set() };
      code += encodeAt(part, index, trail);
    }
  }
  return code;
}

/** The encoder's position, for errors and to detect cycles. */
interface Trail {
  readonly path: string[];
  readonly above: Set<object>;
}

// Every code below is a prefix code: no code is the beginning of another. That makes the whole injective.
function encode(value: unknown, trail: Trail): string {
  switch (typeof value) {
    case 'string':
      return text(value);
    case 'number':
      return `d${value};`;
    case 'bigint':
      return `i${value};`;
    case 'boolean':
      return value ? 't' : 'f';
    case 'undefined':
      return 'u';
    case 'symbol':
      return registered(value, trail);
    case 'function':
      return refuse(trail, 'data', `function ${value.name || 'without a name'}`);
    default:
      return value === null ? 'n' : encodeObject(value as object, trail);
  }
}

function text(value: string): string {
  return `s${value.length}:${value}`;
}

function registered(symbol: symbol, trail: Trail): string {
  const key = Symbol.keyFor(symbol);
  if (key === undefined) return refuse(trail, 'a symbol made by Symbol.for', String(symbol));
  return `y${text(key)}`;
}

function encodeObject(value: object, trail: Trail): string {
  if (trail.above.has(value))
    return refuse(trail, 'data without cycles', 'an object that holds it');
  if (trail.above.size >= MAX_DEPTH) {
    throw new RangeError(
      `Cannot make key: data must be nested at most ${MAX_DEPTH} levels deep, got more`,
    );
  }
  trail.above.add(value);
  const code = Array.isArray(value)
    ? encodeArray(value, trail)
    : isPlain(value)
      ? encodeFields(value, trail)
      : encodeBuiltIn(value, trail);
  trail.above.delete(value);
  return code;
}

function encodeArray(value: readonly unknown[], trail: Trail): string {
  if (depthOf(value) !== 2) return refuse(trail, 'data', describe(value));
  let code = '[';
  for (let index = 0; index < value.length; index++) code += encodeAt(value[index], index, trail);
  return `${code}]`;
}

function encodeFields(value: object, trail: Trail): string {
  const fields: string[] = [];
  for (const name of Reflect.ownKeys(value)) {
    if (!Object.prototype.propertyIsEnumerable.call(value, name)) continue;
    const field = (value as Record<PropertyKey, unknown>)[name];
    if (field === undefined) continue;
    const label = typeof name === 'symbol' ? registered(name, trail) : text(name);
    fields.push(label + encodeAt(field, name, trail));
  }
  return `{${fields.sort().join('')}}`;
}

// By internal slots, which no `Symbol.toStringTag` can forge, also for values of another realm.
function encodeBuiltIn(value: object, trail: Trail): string {
  if (isTypedArray(value)) return encodeView(value, trail);
  if (isBoxedPrimitive(value))
    return refuse(trail, 'a primitive', `a boxed ${String(value.valueOf())}`);
  if (value instanceof URL) return `l${text(value.href)}`;
  if (depthOf(value) !== 2) return refuse(trail, 'data', describe(value));
  if (isDate(value)) {
    const time = Date.prototype.getTime.call(value);
    if (Number.isNaN(time)) return refuse(trail, 'a valid Date', 'an invalid one');
    return `D${time};`;
  }
  if (isRegExp(value)) return `r${text(value.source)}${text(value.flags)}`;
  if (isMap(value)) {
    const entries = [...value].map(
      ([key, entry]) => encodeAt(key, 'key', trail) + encodeAt(entry, 'value', trail),
    );
    return `M${entries.sort().join('')}]`;
  }
  if (isSet(value)) {
    return `S${[...value]
      .map((entry) => encodeAt(entry, 'entry', trail))
      .sort()
      .join('')}]`;
  }
  if (isAnyArrayBuffer(value)) {
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    return `b${text(kind)}${text(Buffer.from(value).toString('latin1'))}`;
  }
  return refuse(trail, 'data', describe(value));
}

function encodeView(value: NodeJS.TypedArray, trail: Trail): string {
  const isBuffer = Buffer.isBuffer(value);
  if (!isBuffer && depthOf(value) !== 3) return refuse(trail, 'data', describe(value));
  const kind = isBuffer ? 'Buffer' : value[Symbol.toStringTag];
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return `b${text(kind)}${text(bytes.toString('latin1'))}`;
}

/** Encodes a part of a value. The path is cut back only on success, so that an error has all of it. */
function encodeAt(value: unknown, step: PropertyKey, trail: Trail): string {
  if (typeof value === 'string') return text(value);
  trail.path.push(typeof step === 'number' ? `[${step}]` : `.${String(step)}`);
  const code = encode(value, trail);
  trail.path.pop();
  return code;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  // Object.prototype of another realm.
  return depthOf(value) === 1 && Object.hasOwn(prototype, 'isPrototypeOf');
}

/** Prototypes above a value: a subclass of a built-in has one more, and state that is unreadable from outside. */
function depthOf(value: object): number {
  let depth = 0;
  let prototype: unknown = Object.getPrototypeOf(value);
  while (typeof prototype === 'object' && prototype !== null) {
    depth += 1;
    prototype = Object.getPrototypeOf(prototype);
  }
  return depth;
}

function describe(value: object): string {
  const maker = (value as { readonly constructor?: unknown }).constructor;
  return typeof maker === 'function' && maker.name !== '' && maker !== Object
    ? `an instance of ${maker.name}`
    : 'an object with a prototype of its own';
}

/** A key that is compared by itself. */
export type KeyValue = string | number | bigint | symbol | boolean | null | undefined;

export function isPrimitive(value: unknown): value is KeyValue {
  return (typeof value !== 'object' || value === null) && typeof value !== 'function';
}

/** Makes the error for a key that is an object, or that is made of one. `keyOf`: option `key`. */
export function objectKeyError(action: string, keyOf: unknown, what = 'a key'): TypeError {
  const fault =
    keyOf === undefined
      ? `${what} that is an object needs option \`key\``
      : 'option `key` must return a primitive, got an object';
  return new TypeError(`Cannot ${action}: ${fault}`);
}

function refuse(trail: Trail, expected: string, got: string): never {
  const path = trail.path.join('');
  throw new TypeError(`Cannot make key: \`${path}\` must be ${expected}, got ${got}`);
}
