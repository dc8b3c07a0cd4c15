import { type ChunkReader, createChunkReader, GatheredBytes, INCOMPLETE } from '../chunk-reader.ts';
import { HeadFields } from './head-fields.ts';
import {
  connectionOf,
  framingOf,
  parseRequestLine,
  type RequestLine,
  upgradeOf,
  wrongConnection,
  wrongHost,
} from './head-rules.ts';
import { type HeadRefusalReason, type HeadState, refuseHead } from './head-state.ts';

const NUL = 0x00;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const DELETE = 0x7f;
const TLS_HANDSHAKE = 0x16;
const TOO_LARGE = refuseHead('head-too-large');
const H2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** 1 for a byte that is allowed within a line: a tab, visible ASCII, a space, or anything above ASCII. */
const IS_TEXT: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === TAB || (byte >= 0x20 && byte !== DELETE) ? 1 : 0,
);

export type HeadReader = ChunkReader<HeadState>;

/**
 * Creates a reader for the head of the first request on a connection, RFC 9112. Time and memory are linear in the head's
 * bytes however they are cut. It takes nothing that Node's own parser refuses or reads as another request, and refuses
 * wherever two readers could disagree.
 *
 * @throws RangeError when `headBytes` is no integer of 1 or more
 */
export function createHeadReader({ headBytes }: { readonly headBytes: number }): HeadReader {
  const gathered = new GatheredBytes(headBytes);
  const lines = new HeadLines(gathered);
  return createChunkReader(gathered, () => lines.read(), TOO_LARGE);
}

class HeadLines {
  readonly #gathered: GatheredBytes;
  readonly #fields = new HeadFields();
  #isHttp1 = false;
  #requestLine: RequestLine | undefined;
  #lineStart = 0;
  /** Position up to which bytes are checked. */
  #at = 0;

  constructor(gathered: GatheredBytes) {
    this.#gathered = gathered;
  }

  read(): HeadState {
    if (this.#isHttp1) return this.#readLines();
    const { bytes, length } = this.#gathered;
    if (bytes[0] === TLS_HANDSHAKE) return { kind: 'tls' };
    const compared = Math.min(length, H2_PREFACE.length);
    if (H2_PREFACE.compare(bytes, 0, compared, 0, compared) === 0) {
      return compared === H2_PREFACE.length ? { kind: 'h2c' } : INCOMPLETE;
    }
    this.#isHttp1 = true;
    return this.#readLines();
  }

  #readLines(): HeadState {
    const { bytes, length } = this.#gathered;
    for (;;) {
      let at = this.#at;
      while (at < length && IS_TEXT[bytes[at] as number] === 1) at += 1;
      this.#at = at;
      if (at === length) return INCOMPLETE;
      if (bytes[at] !== CR) return refuseHead(wrongByte(bytes[at]));
      if (at + 1 === length) return INCOMPLETE;
      if (bytes[at + 1] !== LF) return refuseHead('bare-cr');
      const start = this.#lineStart;
      this.#at = at + 2;
      this.#lineStart = at + 2;
      if (start === at && this.#requestLine !== undefined) return this.#finish(this.#requestLine);
      const reason = this.#takeLine(start, at);
      if (reason !== undefined) return refuseHead(reason);
    }
  }

  #takeLine(start: number, end: number): HeadRefusalReason | undefined {
    const { bytes } = this.#gathered;
    if (this.#requestLine !== undefined) return this.#fields.add(bytes, start, end);
    // Empty lines before a request are ignored, RFC 9112 2.2.
    if (start === end) return undefined;
    const line = parseRequestLine(bytes.toString('latin1', start, end));
    if (typeof line === 'string') return line;
    this.#requestLine = line;
    return undefined;
  }

  #finish(line: RequestLine): HeadState {
    const { bytes } = this.#gathered;
    const fields = this.#fields;
    const options = connectionOf(bytes, fields);
    const reason = wrongHost(bytes, fields, line) ?? wrongConnection(options);
    if (reason !== undefined) return refuseHead(reason);
    const body = framingOf(bytes, fields, line);
    if (typeof body === 'string') return refuseHead(body);
    const upgrade = upgradeOf(bytes, fields, line.method, options);
    if (typeof upgrade === 'string') return refuseHead(upgrade);
    return {
      kind: 'http1',
      ...line,
      header: (name) => fields.combined(bytes, name),
      upgrade,
      body,
      headBytes: this.#at,
    };
  }
}

function wrongByte(byte: number | undefined): HeadRefusalReason {
  if (byte === LF) return 'bare-lf';
  return byte === NUL ? 'nul' : 'control-character';
}
