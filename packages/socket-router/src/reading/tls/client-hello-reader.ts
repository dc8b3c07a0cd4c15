import {
  type ChunkReader,
  createChunkReader,
  GatheredBytes,
  INCOMPLETE,
  refuse,
} from '../chunk-reader.ts';
import { type ClientHelloState, parseClientHello } from './parse-client-hello.ts';

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const RECORD_HEADER_BYTES = 5;
const HANDSHAKE_HEADER_BYTES = 4;
const MAX_FRAGMENT_BYTES = 2 ** 14;
const TOO_LARGE = refuse('hello-too-large');

export type ClientHelloReader = ChunkReader<ClientHelloState>;

/** Limits of a ClientHello. */
export interface ClientHelloLimits {
  /** Bytes of all records with their headers, 1 or more; usual hellos have 300 to 2,000. */
  readonly helloBytes: number;
}

/**
 * Creates a reader for the first message of a TLS connection, in any number of segments and records, RFC 8446 4.1.2 and
 * 5.1. Time and memory are linear in its bytes however they are cut.
 *
 * @throws RangeError when `helloBytes` is no integer of 1 or more
 */
export function createClientHelloReader({ helloBytes }: ClientHelloLimits): ClientHelloReader {
  const gathered = new GatheredBytes(helloBytes);
  const records = new HelloRecords(gathered, helloBytes);
  return createChunkReader(gathered, () => records.read(), TOO_LARGE);
}

class HelloRecords {
  readonly #gathered: GatheredBytes;
  readonly #limit: number;
  /** Start and end of each fragment whose record is whole. */
  readonly #fragments: number[] = [];
  #fragmentBytes = 0;
  #recordAt = 0;

  constructor(gathered: GatheredBytes, limit: number) {
    this.#gathered = gathered;
    this.#limit = limit;
  }

  read(): ClientHelloState {
    const { bytes, length } = this.#gathered;
    for (;;) {
      const start = this.#recordAt;
      // A client that speaks no TLS is refused at its first bytes.
      if (start < length && bytes[start] !== HANDSHAKE) return refuse('record');
      if (start + 1 < length && bytes[start + 1] !== 3) return refuse('record');
      if (start + RECORD_HEADER_BYTES > length) return INCOMPLETE;
      const fragmentBytes = bytes.readUInt16BE(start + 3);
      if (fragmentBytes === 0 || fragmentBytes > MAX_FRAGMENT_BYTES) return refuse('record');
      const from = start + RECORD_HEADER_BYTES;
      if (start === 0 && from < length && bytes[from] !== CLIENT_HELLO) {
        return refuse('not-client-hello');
      }
      if (from + fragmentBytes > length) return INCOMPLETE;
      this.#recordAt = from + fragmentBytes;
      this.#fragments.push(from, this.#recordAt);
      this.#fragmentBytes += fragmentBytes;
      const state = this.#readMessage();
      if (state !== INCOMPLETE) return state;
    }
  }

  #readMessage(): ClientHelloState {
    if (this.#fragmentBytes < HANDSHAKE_HEADER_BYTES) return INCOMPLETE;
    const messageBytes = HANDSHAKE_HEADER_BYTES + this.#helloBytes();
    if (messageBytes > this.#limit) return TOO_LARGE;
    if (this.#fragmentBytes < messageBytes) return INCOMPLETE;
    if (this.#fragmentBytes > messageBytes) return refuse('trailing-bytes');
    return parseClientHello(this.#joined(messageBytes), HANDSHAKE_HEADER_BYTES, messageBytes);
  }

  /** Reads the 24-bit length after the type, which may span several records. */
  #helloBytes(): number {
    return this.#joined(HANDSHAKE_HEADER_BYTES).readUIntBE(1, 3);
  }

  /** Returns the first bytes of the message, joined over the records. */
  #joined(length: number): Buffer {
    const { bytes } = this.#gathered;
    const start = this.#fragments[0] as number;
    const end = start + length;
    if (end <= (this.#fragments[1] as number)) return bytes.subarray(start, end);
    const joined = Buffer.allocUnsafe(length);
    let at = 0;
    for (let index = 0; at < length; index += 2) {
      // The copy ends with the fragment, or where the room for it ends.
      at += bytes.copy(joined, at, this.#fragments[index], this.#fragments[index + 1]);
    }
    return joined;
  }
}
