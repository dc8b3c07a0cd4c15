import type { HeadRefusalReason } from './head-state.ts';

const TAB = 0x09;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;

/** 1 for a byte of a token, RFC 9110 5.6.2. */
const IS_TOKEN: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Each byte, ASCII letters in lower case. */
const LOWER_CASE: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Node's own limit: of more fields Node 20 silently drops some, and later versions refuse the head. */
const MAX_FIELDS = 1000;

/** Node keeps the first of each of these. */
const SINGLE = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
]);

/** The fields of a head as positions in its bytes; a value becomes a text only when it is read. */
export class HeadFields {
  /** Four per field: start and end of the name, start and end of the value. */
  readonly #places: number[] = [];

  /** Adds the line from `start` to its CRLF at `end`, which has only text bytes. Returns the reason to refuse it. */
  add(bytes: Buffer, start: number, end: number): HeadRefusalReason | undefined {
    const first = bytes[start];
    if (first === SPACE || first === TAB) return 'obs-fold';
    let colon = start;
    while (colon < end && IS_TOKEN[bytes[colon] as number] === 1) colon += 1;
    if (colon === end) return 'field-without-colon';
    if (bytes[colon] !== COLON) return wrongName(bytes, colon, end);
    if (colon === start) return 'field-name';
    if (this.#places.length === 4 * MAX_FIELDS) return 'too-many-fields';
    let from = colon + 1;
    while (from < end && isBlank(bytes[from])) from += 1;
    let to = end;
    while (to > from && isBlank(bytes[to - 1])) to -= 1;
    this.#places.push(start, colon, from, to);
    return undefined;
  }

  /** Returns all values of a name, which is in lower case, in order. */
  valuesOf(bytes: Buffer, name: string): string[] {
    const values: string[] = [];
    const places = this.#places;
    for (let at = 0; at < places.length; at += 4) {
      if (!isNamed(bytes, places[at] as number, places[at + 1] as number, name)) continue;
      values.push(bytes.toString('latin1', places[at + 2], places[at + 3]));
    }
    return values;
  }

  /** Returns the values as `valuesOf` does, with the spaces and tabs between colon and CRLF. */
  untrimmedOf(bytes: Buffer, name: string): string[] {
    const values: string[] = [];
    const places = this.#places;
    for (let at = 0; at < places.length; at += 4) {
      if (!isNamed(bytes, places[at] as number, places[at + 1] as number, name)) continue;
      const start = (places[at + 1] as number) + 1;
      values.push(bytes.toString('latin1', start, bytes.indexOf(CR, start)));
    }
    return values;
  }

  /** Returns the value that Node's `headers` has. `set-cookie`, which no request carries, is joined like others. */
  combined(bytes: Buffer, anyCaseName: string): string | undefined {
    const name = anyCaseName.toLowerCase();
    const values = this.valuesOf(bytes, name);
    if (values.length < 2 || SINGLE.has(name)) return values[0];
    return values.join(name === 'cookie' ? '; ' : ', ');
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function wrongName(bytes: Buffer, at: number, end: number): HeadRefusalReason {
  let next = at;
  while (next < end && isBlank(bytes[next])) next += 1;
  if (next > at && bytes[next] === COLON && next < end) return 'space-before-colon';
  return bytes.subarray(at, end).includes(COLON) ? 'field-name' : 'field-without-colon';
}

function isNamed(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let index = 0; index < name.length; index += 1) {
    if (LOWER_CASE[bytes[start + index] as number] !== name.charCodeAt(index)) return false;
  }
  return true;
}
