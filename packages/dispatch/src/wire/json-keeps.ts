import { types } from 'node:util';

/** Most values visited; visiting more costs more than JSON gains. */
const MAX_NODES = 1_000_000;
const MAX_DEPTH = 200;
/** Characters of a text above which bytes are faster. */
const MAX_TEXT = 4096;
/** Numbers with a fraction above which bytes are faster, if they are more than half of the values. */
const MANY_FRACTIONS = 200;
/** Most objects that are compared one by one; above it a Set is cheaper. */
const FEW = 16;

/**
 * Returns whether JSON returns exactly what structured clone would, and faster: no `undefined`, NaN, -0 or bigint, no classes, no
 * `toJSON`, no holes, no object twice, no long texts. Getters may run again when the value is written.
 *
 * @throws what a getter throws
 */
export function jsonKeeps(value: unknown): boolean {
  if (typeof value === 'object') return value === null || new Visit().keeps(value, 0);
  return keepsPrimitive(value);
}

function keepsPrimitive(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_TEXT;
  if (typeof value === 'number') return value === 0 ? 1 / value > 0 : Number.isFinite(value);
  return typeof value === 'boolean';
}

/** Visit of one value. */
class Visit {
  #nodes = 0;
  #fractions = 0;
  readonly #few: object[] = [];
  #many: Set<object> | undefined;

  keeps(value: object, depth: number): boolean {
    if (depth > MAX_DEPTH || this.#meets(value) || types.isProxy(value)) return false;
    if ((value as { toJSON?: unknown }).toJSON !== undefined) return false;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (Array.isArray(value)) {
      return prototype === Array.prototype && this.#keepsArray(value, depth);
    }
    // Without a prototype it arrives with the usual one, as by structured clone.
    if (prototype !== Object.prototype && prototype !== null) return false;
    for (const key in value) {
      if (!this.#keepsMember((value as Record<string, unknown>)[key], depth)) return false;
    }
    return true;
  }

  #keepsArray(value: readonly unknown[], depth: number): boolean {
    const { length } = value;
    // A hole reads as `undefined`, which is not kept.
    for (let index = 0; index < length; index += 1) {
      if (!this.#keepsMember(value[index], depth)) return false;
    }
    return Object.keys(value).length === length;
  }

  #keepsMember(value: unknown, depth: number): boolean {
    this.#nodes += 1;
    if (typeof value === 'object') {
      return value === null || (this.#nodes < MAX_NODES && this.keeps(value, depth + 1));
    }
    if (typeof value === 'number' && value !== Math.trunc(value)) {
      this.#fractions += 1;
      if (this.#fractions > MANY_FRACTIONS && this.#fractions > this.#nodes / 2) return false;
    }
    return keepsPrimitive(value);
  }

  #meets(value: object): boolean {
    if (this.#many === undefined) {
      if (this.#few.includes(value)) return true;
      this.#few.push(value);
      if (this.#few.length > FEW) this.#many = new Set(this.#few);
      return false;
    }
    const { size } = this.#many;
    return this.#many.add(value).size === size;
  }
}
