import {
  type ChunkReader,
  createChunkReader,
  GatheredBytes,
  INCOMPLETE,
  refuse,
} from '../chunk-reader.ts';
import {
  BLOCK_PREFIX_BYTES,
  MAX_LINE_BYTES,
  type ProxyState,
  parseProxyBlock,
  parseProxyLine,
} from './proxy-header.ts';

const CR = 0x0d;
const LF = 0x0a;
const MAX_HEADER_BYTES = 4096;
const NONE: ProxyState = { kind: 'none' };
const LINE_SIGNATURE = Buffer.from('PROXY ');
const BLOCK_SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n');

export type ProxyReader = ChunkReader<ProxyState>;

/**
 * Creates a reader for the PROXY protocol, versions 1 and 2, as
 * https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt has it. A header names the client, so only bytes from
 * a trusted address may come here. Version 2 allows 64 KiB; this reader allows 4 KiB.
 */
export function createProxyReader(): ProxyReader {
  const gathered = new GatheredBytes(MAX_HEADER_BYTES);
  const header = new SignedHeader(gathered);
  return createChunkReader(gathered, () => header.read(), INCOMPLETE);
}

class SignedHeader {
  readonly #gathered: GatheredBytes;
  #at = 0;

  constructor(gathered: GatheredBytes) {
    this.#gathered = gathered;
  }

  read(): ProxyState {
    if (this.#startsWith(LINE_SIGNATURE)) return this.#readLine();
    return this.#startsWith(BLOCK_SIGNATURE) ? this.#readBlock() : NONE;
  }

  /** Returns whether the bytes are the signature, start with it, or are its start. */
  #startsWith(signature: Buffer): boolean {
    const { bytes, length } = this.#gathered;
    const compared = Math.min(length, signature.length);
    return signature.compare(bytes, 0, compared, 0, compared) === 0;
  }

  #readLine(): ProxyState {
    const { bytes, length } = this.#gathered;
    const end = Math.min(length, MAX_LINE_BYTES);
    while (this.#at < end && bytes[this.#at] !== CR && bytes[this.#at] !== LF) this.#at += 1;
    const at = this.#at;
    if (bytes[at] === LF && at < end) return refuse('line');
    if (at + 1 < end) {
      if (bytes[at + 1] !== LF) return refuse('line');
      return parseProxyLine(bytes.toString('latin1', 0, at), at + 2);
    }
    return length >= MAX_LINE_BYTES ? refuse('line-too-long') : INCOMPLETE;
  }

  #readBlock(): ProxyState {
    const { bytes, length } = this.#gathered;
    if (length > 12 && (bytes[12] as number) >> 4 !== 2) return refuse('version');
    if (length < BLOCK_PREFIX_BYTES) return INCOMPLETE;
    const headerBytes = BLOCK_PREFIX_BYTES + bytes.readUInt16BE(14);
    if (headerBytes > MAX_HEADER_BYTES) return refuse('header-too-large');
    return length < headerBytes ? INCOMPLETE : parseProxyBlock(bytes.subarray(0, headerBytes));
  }
}
