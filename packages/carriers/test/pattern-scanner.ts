import { type Literal, LiteralError } from '../src/renfe/javascript-literal.ts';

// The grammar of a literal as regular expressions, to compare the scanner with: for short texts only,
// since `NUMBER` is quadratic in the digits before a letter.
const MAX_DEPTH = 32;
const SPACE = /\s*/y;
const NAME = /[A-Za-z_$][\w$]*/y;
const NUMBER = /-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w$.])/y;
const DATE = /new\s+Date\s*\(\s*(-?\d+(?![\w$.]))\s*\)/y;
const PLAIN = /[^"'\\\n\r]+/y;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^ux\d\n\r]|0(?!\d)))/y;

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

/** Reads as `LiteralScanner` does. Lines that begin with `//` are no part of `text`. */
export function createPatternScanner(text: string) {
  let offset = 0;

  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = offset;
    const match = pattern.exec(text);
    if (match) offset = pattern.lastIndex;
    return match;
  }

  function accept(expected: string): boolean {
    take(SPACE);
    if (!text.startsWith(expected, offset)) return false;
    offset += expected.length;
    return true;
  }

  function expect(expected: string): void {
    if (!accept(expected)) throw new LiteralError(`'${expected}'`, offset);
  }

  function string(quote: string): string {
    let value = '';
    for (;;) {
      value += take(PLAIN)?.[0] ?? '';
      const next = text[offset];
      if (next === '\\') {
        value += escaped();
      } else if (next === quote) {
        offset += 1;
        return value;
      } else if (next === '"' || next === "'") {
        value += next;
        offset += 1;
      } else {
        throw new LiteralError('the end of a string', offset);
      }
    }
  }

  function escaped(): string {
    const match = take(ESCAPE);
    if (!match) throw new LiteralError('an escape', offset);
    const [, four, two, one = ''] = match;
    const code = four ?? two;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return escapes.get(one) ?? one;
  }

  function list(depth: number): Literal[] {
    const values: Literal[] = [];
    if (accept(']')) return values;
    do values.push(value(depth));
    while (accept(','));
    expect(']');
    return values;
  }

  function record(depth: number): { [key: string]: Literal } {
    const values = Object.create(null) as { [key: string]: Literal };
    if (accept('}')) return values;
    do {
      const key = accept('"') ? string('"') : accept("'") ? string("'") : take(NAME)?.[0];
      if (key === undefined) throw new LiteralError('a key', offset);
      expect(':');
      values[key] = value(depth);
    } while (accept(','));
    expect('}');
    return values;
  }

  function value(depth: number): Literal {
    if (depth > MAX_DEPTH) throw new LiteralError(`at most ${MAX_DEPTH} levels`, offset);
    if (accept('"')) return string('"');
    if (accept("'")) return string("'");
    if (accept('[')) return list(depth + 1);
    if (accept('{')) return record(depth + 1);
    const number = take(NUMBER)?.[0];
    if (number !== undefined) return Number(number);
    const at = offset;
    const date = take(DATE)?.[1];
    if (date !== undefined && Number.isSafeInteger(Number(date))) return Number(date);
    offset = at;
    const word = take(NAME)?.[0];
    if (word === undefined || !words.has(word)) throw new LiteralError('a literal', at);
    return words.get(word);
  }

  return {
    get offset() {
      return offset;
    },
    accept,
    expect,
    literal: () => value(0),
  };
}
