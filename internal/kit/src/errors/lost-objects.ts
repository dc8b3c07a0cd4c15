import { types } from 'node:util';

/**
 * An object of the platform whose state is not in its members, as that of a URL, Headers or a Blob: `node:v8` writes it as an
 * empty object, without an error, and so do the ports of some versions.
 */
interface LostObject {
  /** Class of the object, as in `URL`. */
  readonly name: string;
  /** True for an object that a port of this process clones, such as a Blob or a KeyObject. */
  readonly byPort: boolean;
}

export interface LostObjectOptions {
  /** Size of the value's clone, if there is one. Each object of a tree takes two bytes or more: a longer visit is in a cycle. */
  readonly bytes?: number;
  /** Objects that are moved and not cloned. Default: none. */
  readonly except?: readonly object[];
}

/**
 * Returns an object in a value that a clone would lose, or `undefined`: one that no port clones, if there is one.
 *
 * @throws what a getter of the value throws
 */
function findLostObject(
  value: unknown,
  { bytes = 0, except = [] }: LostObjectOptions = {},
): LostObject | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const quick = new Visit(value, except);
  if (quick.visits(bytes)) return quick.found;
  const visit = new Visit(value, except, new Set());
  visit.visits(Number.POSITIVE_INFINITY);
  return visit.found;
}

/**
 * Throws for a value with an object that a clone would lose.
 *
 * @param by - The clone is made by `node:v8`, or by a port, which clones more
 * @throws DOMException `DataCloneError`; what a getter of the value throws
 */
export function refuseLostObjects(
  value: unknown,
  by: 'v8' | 'port',
  options?: LostObjectOptions,
): void {
  const lost = findLostObject(value, options);
  if (lost === undefined || (by === 'port' && lost.byPort)) return;
  throw new DOMException(`${lost.name} could not be cloned`, 'DataCloneError');
}

/** A walk over a value. A stack of its own: a value may be deeper than calls may be. */
class Visit {
  found: LostObject | undefined;
  readonly #open: object[];
  readonly #except: readonly object[];
  readonly #seen: Set<object> | undefined;
  #plain: object | undefined;

  /** Starts a walk. Without `seen`, which costs more than the rest of the walk, it may visit an object again. */
  constructor(value: object, except: readonly object[], seen?: Set<object>) {
    this.#open = [value];
    this.#except = except;
    this.#seen = seen;
  }

  /** Returns whether this many visits were enough. */
  visits(most: number): boolean {
    for (let left = most; ; left -= 1) {
      const object = this.#open.pop();
      if (object === undefined) return true;
      if (left <= 0) return false;
      if (this.#seen?.has(object) || this.#except.includes(object)) continue;
      this.#seen?.add(object);
      this.#visit(object, most);
      if (this.found?.byPort === false) return true;
    }
  }

  #visit(object: object, bytes: number): void {
    if (Array.isArray(object)) {
      // With holes it may be longer than there is time for.
      if (object.length > bytes || bytes === Number.POSITIVE_INFINITY) this.#addMembers(object);
      else for (let index = 0; index < object.length; index += 1) this.#add(object[index]);
      return;
    }
    const prototype: object | null = Object.getPrototypeOf(object);
    if (prototype === Object.prototype || prototype === null || this.#isPlainClass(prototype)) {
      this.#addMembers(object);
    } else if (types.isMap(object)) {
      (object as ReadonlyMap<unknown, unknown>).forEach((value, key) => {
        this.#add(key);
        this.#add(value);
      });
    } else if (types.isSet(object)) {
      (object as ReadonlySet<unknown>).forEach((value) => {
        this.#add(value);
      });
    } else if (types.isNativeError(object)) {
      // A clone has no other member of an error.
      this.#add((object as Error).cause);
    } else if (!isWhole(object)) {
      const lost = lostOf(object);
      this.found = lost ?? this.found;
      if (lost === undefined) this.#addMembers(object);
    }
  }

  #isPlainClass(prototype: object): boolean {
    // Most objects of a value that are of classes are of one.
    if (prototype === this.#plain) return true;
    if (!plainClasses.has(prototype)) return false;
    this.#plain = prototype;
    return true;
  }

  #addMembers(object: object): void {
    for (const key in object) this.#add((object as Record<string, unknown>)[key]);
  }

  #add(value: unknown): void {
    if (typeof value === 'object' && value !== null) this.#open.push(value);
  }
}

/** Users' classes that have been met: clones of their objects are plain ones with their members, as the platform promises. */
const plainClasses = new WeakSet<object>();

/** True if a clone of an object is as the object was. */
function isWhole(object: object): boolean {
  return (
    ArrayBuffer.isView(object) ||
    types.isDate(object) ||
    types.isAnyArrayBuffer(object) ||
    types.isRegExp(object) ||
    types.isBoxedPrimitive(object)
  );
}

/** Looks at an object of a class. */
function lostOf(object: object): LostObject | undefined {
  const tag: unknown = (object as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  const isEmpty = Object.keys(object).length === 0;
  const Platform: unknown =
    typeof tag === 'string' ? (globalThis as Record<string, unknown>)[tag] : undefined;
  if (typeof Platform === 'function') {
    // Users' classes of events have members of their own.
    const isLost = isEmpty || (tag !== 'EventTarget' && object instanceof Platform);
    return isLost ? { name: tag as string, byPort: portClone(object) === 'whole' } : undefined;
  }
  // A class of a module, as KeyObject is, or of a user, whose state may be private.
  const clone = isEmpty ? portClone(object) : 'plain';
  if (clone !== 'plain') return { name: className(object), byPort: clone === 'whole' };
  if (tag === undefined) plainClasses.add(Object.getPrototypeOf(object));
  return undefined;
}

/** Returns the kind of clone that a port makes of an object: of its class, a plain one, or none. */
function portClone(object: object): 'whole' | 'plain' | 'none' {
  try {
    const prototype: unknown = Object.getPrototypeOf(structuredClone(object));
    // That of plain objects may be another realm's.
    return Object.getPrototypeOf(prototype) === null ? 'plain' : 'whole';
  } catch {
    return 'none';
  }
}

function className(object: object): string {
  const { name } = Object(object.constructor) as { readonly name?: unknown };
  return typeof name === 'string' && name !== '' ? name : 'Object';
}
