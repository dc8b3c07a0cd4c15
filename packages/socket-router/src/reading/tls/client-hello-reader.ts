import { GatheredBytes } from '../gathered-bytes.ts';
import {
  type ClientHelloLimits,
  type ClientHelloState,
  parseClientHello,
  refuseHello,
} from './parse-client-hello.ts';

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const RECORD_HEADER_BYTES = 5;
const HANDSHAKE_HEADER_BYTES = 4;
const MAX_FRAGMENT_BYTES = 2 ** 14;
const INCOMPLETE: ClientHelloState = { kind: 'incomplete' };

/** Reads one ClientHello, chunk by chunk. */
export interface ClientHelloReader {
  /**
   * Takes the next bytes and says what is known so far. Once it says anything but `incomplete` it stays
   * with that and takes nothing more. The chunks must stay unchanged.
   */
  push(chunk: Uint8Array): ClientHelloState;
}

/**
 * Creates a reader for the first message of a TLS connection, in however many segments and records it
 * comes, RFC 8446 4.1.2 and 5.1. Time and memory are linear in its bytes however they are cut.
 *
 * @throws RangeError when `helloBytes` is no integer of 1 or more
 */
export function createClientHelloReader(limits: ClientHelloLimits): ClientHelloReader {
  const { helloBytes } = limits;
  if (!Number.isSafeInteger(helloBytes) || helloBytes < 1) {
    throw new RangeError(
      `Cannot create client hello reader: helloBytes must be an integer of 1 or more, got ${String(helloBytes)}`,
    );
  }
  return new RecordByRecordReader(helloBytes);
}

class RecordByRecordReader implements ClientHelloReader {
  readonly #limit: number;
  readonly #gathered: GatheredBytes;
  #outcome: ClientHelloState | undefined;
  /** Start and end of the fragments of the records that are whole. */
  readonly #fragments: number[] = [];
  #fragmentBytes = 0;
  #recordAt = 0;

  constructor(helloBytes: number) {
    this.#limit = helloBytes;
    this.#gathered = new GatheredBytes(helloBytes);
  }

  push(chunk: Uint8Array): ClientHelloState {
    if (this.#outcome !== undefined) return this.#outcome;
    if (chunk.length === 0) return INCOMPLETE;
    this.#gathered.add(chunk);
    let state = this.#readRecords();
    if (state === INCOMPLETE && this.#gathered.isFull) state = refuseHello('hello-too-large');
    if (state !== INCOMPLETE) this.#outcome = state;
    return state;
  }

  #readRecords(): ClientHelloState {
    const { bytes, length } = this.#gathered;
    for (;;) {
      const start = this.#recordAt;
      // Whatever speaks no TLS is refused at its first bytes and not waited for.
      if (start < length && bytes[start] !== HANDSHAKE) return refuseHello('record');
      if (start + 1 < length && bytes[start + 1] !== 3) return refuseHello('record');
      if (start + RECORD_HEADER_BYTES > length) return INCOMPLETE;
      const fragmentBytes = bytes.readUInt16BE(start + 3);
      if (fragmentBytes === 0 || fragmentBytes > MAX_FRAGMENT_BYTES) return refuseHello('record');
      const from = start + RECORD_HEADER_BYTES;
      if (start === 0 && from < length && bytes[from] !== CLIENT_HELLO) {
        return refuseHello('not-client-hello');
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
    if (messageBytes > this.#limit) return refuseHello('hello-too-large');
    if (this.#fragmentBytes < messageBytes) return INCOMPLETE;
    if (this.#fragmentBytes > messageBytes) return refuseHello('trailing-bytes');
    return parseClientHello(this.#joined(messageBytes), HANDSHAKE_HEADER_BYTES, messageBytes);
  }

  /** The 24-bit length behind the type, which itself may lie in several records. */
  #helloBytes(): number {
    return this.#joined(HANDSHAKE_HEADER_BYTES).readUIntBE(1, 3);
  }

  /** The first bytes of the message, over the records' borders. */
  #joined(length: number): Buffer {
    const { bytes } = this.#gathered;
    const start = this.#fragments[0] as number;
    const end = start + length;
    if (end <= (this.#fragments[1] as number)) return bytes.subarray(start, end);
    const joined = Buffer.allocUnsafe(length);
    let at = 0;
    for (let index = 0; at < length; index += 2) {
      // The copy ends where either the fragment or the room for it does.
      at += bytes.copy(joined, at, this.#fragments[index], this.#fragments[index + 1]);
    }
    return joined;
  }
}
