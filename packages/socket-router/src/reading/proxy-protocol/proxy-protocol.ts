import { GatheredBytes } from '../gathered-bytes.ts';
import {
  BLOCK_PREFIX_BYTES,
  MAX_LINE_BYTES,
  type ProxyState,
  parseProxyBlock,
  parseProxyLine,
  refuseProxy,
} from './proxy-header.ts';

const CR = 0x0d;
const LF = 0x0a;
const MAX_HEADER_BYTES = 4096;
const INCOMPLETE: ProxyState = { kind: 'incomplete' };
const NONE: ProxyState = { kind: 'none' };
const LINE_SIGNATURE = Buffer.from('PROXY ');
const BLOCK_SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n');

/** Reads one PROXY header, chunk by chunk. */
export interface ProxyReader {
  /**
   * Takes the next bytes and says what is known so far. Once it says anything but `incomplete` it stays
   * with that and takes nothing more. The chunks must stay unchanged.
   */
  push(chunk: Uint8Array): ProxyState;
}

/**
 * Creates a reader for the PROXY protocol, versions 1 and 2, as
 * https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt has it. A header tells who the client is,
 * so only bytes from a trusted address may come here. Version 2 may say 64 KiB; 4 KiB are taken.
 */
export function createProxyReader(): ProxyReader {
  return new SignedHeaderReader();
}

class SignedHeaderReader implements ProxyReader {
  readonly #gathered = new GatheredBytes(MAX_HEADER_BYTES);
  #outcome: ProxyState | undefined;
  #at = 0;

  push(chunk: Uint8Array): ProxyState {
    if (this.#outcome !== undefined) return this.#outcome;
    if (chunk.length === 0) return INCOMPLETE;
    this.#gathered.add(chunk);
    const state = this.#read();
    if (state !== INCOMPLETE) this.#outcome = state;
    return state;
  }

  #read(): ProxyState {
    if (this.#startsWith(LINE_SIGNATURE)) return this.#readLine();
    return this.#startsWith(BLOCK_SIGNATURE) ? this.#readBlock() : NONE;
  }

  /** Whether the bytes are the signature, start with it, or are its start. */
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
    if (bytes[at] === LF && at < end) return refuseProxy('line');
    if (at + 1 < end) {
      if (bytes[at + 1] !== LF) return refuseProxy('line');
      return parseProxyLine(bytes.toString('latin1', 0, at), at + 2);
    }
    return length >= MAX_LINE_BYTES ? refuseProxy('line-too-long') : INCOMPLETE;
  }

  #readBlock(): ProxyState {
    const { bytes, length } = this.#gathered;
    if (length > 12 && (bytes[12] as number) >> 4 !== 2) return refuseProxy('version');
    if (length < BLOCK_PREFIX_BYTES) return INCOMPLETE;
    const headerBytes = BLOCK_PREFIX_BYTES + bytes.readUInt16BE(14);
    if (headerBytes > MAX_HEADER_BYTES) return refuseProxy('header-too-large');
    return length < headerBytes ? INCOMPLETE : parseProxyBlock(bytes.subarray(0, headerBytes));
  }
}
