/** Value of a literal of the DWR wire. Objects inherit nothing, so `__proto__` is a key like any other. */
export type Literal =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Literal[]
  | { readonly [key: string]: Literal };

/** Text that is not a literal: where, and what must be there. */
export class LiteralError extends Error {
  readonly offset: number;
  readonly expected: string;
  constructor(expected: string, offset: number) {
    super(`Cannot read literal: text must have ${expected} at ${offset}`);
    this.name = 'LiteralError';
    this.expected = expected;
    this.offset = offset;
  }
}

const MAX_DEPTH = 32;
const REPEATED_SLOTS = 256;
const LONGEST_REPEATED = 32;
// A number of more digits may not be exact when it is summed digit by digit.
const EXACT_DIGITS = 15;

const QUOTE = 0x22;
const OPEN = 0x28;
const CLOSE = 0x29;
const APOSTROPHE = 0x27;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const ZERO = 0x30;
const COLON = 0x3a;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const RECORD = 0x7b;
const RECORD_END = 0x7d;

const words: ReadonlyMap<string, Literal> = new Map<string, Literal>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
]);
const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['0', '\0'],
]);

// As safe a prototype as null, and objects that have it are filled three times as fast.
const NOTHING: object = Object.freeze(Object.create(null));

/**
 * A cursor over text that reads the ECMAScript literals a DWR server writes: strings with escapes, numbers,
 * arrays, objects with plain or quoted keys, and dates by their milliseconds, nested at most 32 deep. It reads each character once, so time
 * is linear in the text, and evaluates nothing. White space, and lines that begin with `//`, may separate
 * tokens. Grammar: ECMA-262, 12.9 and 13.2.
 */
export class LiteralScanner {
  readonly #text: string;
  /** Made for the first object: most texts without one are short. */
  #repeated: string[] | undefined;
  /** Plain keys of the last record at each depth, by their places. */
  readonly #names: string[][] = [];
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get offset(): number {
    return this.#offset;
  }

  /** Skips white space, then takes `text` if it is next. */
  accept(text: string): boolean {
    this.#next();
    if (!this.#text.startsWith(text, this.#offset)) return false;
    this.#offset += text.length;
    return true;
  }

  /** @throws LiteralError when `text` is not next */
  expect(text: string): void {
    if (!this.accept(text)) throw new LiteralError(`'${text}'`, this.#offset);
  }

  /** Reads a string, number, date, `true`, `false`, `null`, `undefined`, array or object. @throws LiteralError */
  literal(): Literal {
    return this.#value(0);
  }

  #value(depth: number): Literal {
    if (depth > MAX_DEPTH) throw new LiteralError(`at most ${MAX_DEPTH} levels`, this.#offset);
    const code = this.#next();
    if (code === QUOTE || code === APOSTROPHE) return this.#string(code);
    if (code === LIST) return this.#list(depth + 1);
    if (code === RECORD) return this.#record(depth + 1);
    if (isDigit(code) || code === MINUS || code === DOT) return this.#number();
    const start = this.#offset;
    const word = isNameStart(code) ? this.#name() : '';
    if (word === 'new') return this.#date(start);
    if (!words.has(word)) throw new LiteralError('a literal', start);
    return words.get(word);
  }

  /** Reads the rest of `new Date(0)`, as DWR writes dates: the number of milliseconds is the value. */
  #date(start: number): number {
    this.#next();
    if (isNameStart(this.#text.charCodeAt(this.#offset)) && this.#name() === 'Date') {
      if (this.#take(OPEN)) {
        const code = this.#next();
        const value = isDigit(code) || code === MINUS ? this.#number() : Number.NaN;
        if (Number.isSafeInteger(value) && this.#take(CLOSE)) return value;
      }
    }
    throw new LiteralError('a literal', start);
  }

  #list(depth: number): Literal[] {
    const values: Literal[] = [];
    this.#offset += 1;
    if (this.#take(LIST_END)) return values;
    do values.push(this.#value(depth));
    while (this.#take(COMMA));
    if (!this.#take(LIST_END)) throw new LiteralError("']'", this.#offset);
    return values;
  }

  #record(depth: number): Literal {
    const values: { [key: string]: Literal } = Object.create(NOTHING);
    this.#repeated ??= new Array(REPEATED_SLOTS).fill('');
    this.#names[depth] ??= [];
    const names = this.#names[depth] as string[];
    let index = 0;
    this.#offset += 1;
    if (this.#take(RECORD_END)) return values;
    do {
      const key = this.#keyLike(names, index);
      index += 1;
      if (!this.#take(COLON)) throw new LiteralError("':'", this.#offset);
      values[key] = this.#value(depth);
    } while (this.#take(COMMA));
    if (!this.#take(RECORD_END)) throw new LiteralError("'}'", this.#offset);
    return values;
  }

  /** Reads a key. Most records have the names of the one before at their depth, which are found at once. */
  #keyLike(names: string[], index: number): string {
    const code = this.#next();
    if (code === QUOTE || code === APOSTROPHE) return this.#string(code);
    const known = names[index];
    if (known !== undefined && this.#text.startsWith(known, this.#offset)) {
      const end = this.#offset + known.length;
      if (this.#text.charCodeAt(end) === COLON) {
        this.#offset = end;
        return known;
      }
    }
    if (!isNameStart(code)) throw new LiteralError('a key', this.#offset);
    const name = this.#name();
    names[index] = name;
    return name;
  }

  #name(): string {
    const text = this.#text;
    const start = this.#offset;
    let end = start;
    let hash = 0;
    for (let code = text.charCodeAt(end); isNamePart(code); code = text.charCodeAt(end)) {
      hash = (Math.imul(hash, 31) + code) | 0;
      end += 1;
    }
    this.#offset = end;
    return this.#slice(start, end, hash);
  }

  /** Returns the text from `start` to `end`. Short texts that repeat share one string, found by their hash. */
  #slice(start: number, end: number, hash: number): string {
    const text = this.#text;
    const length = end - start;
    const repeated = this.#repeated;
    if (length > LONGEST_REPEATED || repeated === undefined) return text.slice(start, end);
    const slot = (hash ^ (hash >>> 15)) & (REPEATED_SLOTS - 1);
    const known = repeated[slot] as string;
    if (known.length === length && text.startsWith(known, start)) return known;
    const slice = text.slice(start, end);
    repeated[slot] = slice;
    return slice;
  }

  #string(quote: number): string {
    const text = this.#text;
    let start = this.#offset + 1;
    let value = '';
    let hash = 0;
    for (let end = start; ; end += 1) {
      const code = text.charCodeAt(end);
      if (code === quote) {
        this.#offset = end + 1;
        const slice = this.#slice(start, end, hash);
        return value === '' ? slice : value + slice;
      }
      if (code === BACKSLASH) {
        value += text.slice(start, end) + this.#escape(end);
        start = this.#offset;
        end = start - 1;
      } else if (code === 0x0a || code === 0x0d || end >= text.length) {
        throw new LiteralError('the end of a string', end);
      }
      hash = (Math.imul(hash, 31) + code) | 0;
    }
  }

  /** Reads the escape whose backslash is at `at`, and moves behind it. */
  #escape(at: number): string {
    const text = this.#text;
    const letter = text.charAt(at + 1);
    const digits = letter === 'u' ? 4 : letter === 'x' ? 2 : 0;
    this.#offset = at + 2 + digits;
    if (digits > 0) {
      let unit = 0;
      for (let index = at + 2; index < this.#offset; index++)
        unit = unit * 16 + hexDigit(text.charCodeAt(index));
      if (Number.isNaN(unit)) throw new LiteralError('an escape', at);
      return String.fromCharCode(unit);
    }
    const isOctal =
      isDigit(text.charCodeAt(at + 1)) && (letter !== '0' || isDigit(text.charCodeAt(at + 2)));
    if (letter === '' || letter === '\n' || letter === '\r' || isOctal)
      throw new LiteralError('an escape', at);
    return escapes.get(letter) ?? letter;
  }

  #number(): number {
    const text = this.#text;
    const start = this.#offset;
    const negative = text.charCodeAt(start) === MINUS;
    const first = negative ? start + 1 : start;
    let end = first;
    let whole = 0;
    for (let code = text.charCodeAt(end); isDigit(code); code = text.charCodeAt(end)) {
      whole = whole * 10 + (code - ZERO);
      end += 1;
    }
    const wholeDigits = end - first;
    let isWhole = wholeDigits <= EXACT_DIGITS;
    if (text.charCodeAt(end) === DOT) {
      isWhole = false;
      end = this.#digits(end + 1);
      if (wholeDigits === 0 && end === first + 1) throw new LiteralError('a literal', start);
    } else if (wholeDigits === 0) {
      throw new LiteralError('a literal', start);
    }
    if ((text.charCodeAt(end) | 0x20) === 0x65) {
      isWhole = false;
      const sign = text.charCodeAt(end + 1);
      const exponent = sign === PLUS || sign === MINUS ? end + 2 : end + 1;
      const exponentEnd = this.#digits(exponent);
      if (exponentEnd > exponent) end = exponentEnd;
    }
    const after = text.charCodeAt(end);
    if (isNamePart(after) || after === DOT) throw new LiteralError('a literal', start);
    this.#offset = end;
    if (!isWhole) return Number(text.slice(start, end));
    return negative ? -whole : whole;
  }

  /** Returns the offset behind the digits at `from`. */
  #digits(from: number): number {
    let end = from;
    while (isDigit(this.#text.charCodeAt(end))) end += 1;
    return end;
  }

  #take(code: number): boolean {
    if (this.#next() !== code) return false;
    this.#offset += 1;
    return true;
  }

  /** Skips what may separate tokens, and returns the code of the next character (NaN at the end). */
  #next(): number {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#offset);
      if (isSpace(code)) this.#offset += 1;
      else if (code === SLASH && this.#isCommentLine())
        this.#offset = endOfLine(text, this.#offset);
      else return code;
    }
  }

  /** Returns whether a line of comment begins here: DWR marks sections with lines such as `//#DWR-REPLY`. */
  #isCommentLine(): boolean {
    const before = this.#offset - 1;
    return (
      this.#text.charCodeAt(before + 2) === SLASH &&
      (before < 0 || isLineEnd(this.#text.charCodeAt(before)))
    );
  }
}

function endOfLine(text: string, from: number): number {
  let end = from;
  while (end < text.length && !isLineEnd(text.charCodeAt(end))) end += 1;
  return end;
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;
}

function isSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code >= 0xa0 && /\s/.test(String.fromCharCode(code));
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39;
}

function isNameStart(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || code === 0x5f || code === 0x24;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || isDigit(code);
}

/** Returns NaN for a character that is not a hexadecimal digit. */
function hexDigit(code: number): number {
  if (isDigit(code)) return code - ZERO;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : Number.NaN;
}
