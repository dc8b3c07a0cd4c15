import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib';
import { CarrierError, type CarrierHttpResponse } from '@ticketing/core';

/** Content codings that are asked for. */
export const ACCEPTED_CODINGS: string = 'gzip, br';

/** Bytes that come out of a decoder at a time: the most by which a bound is exceeded. */
export const PIECE_BYTES: number = 64 * 1024;
/** Codings of one body, and characters of the name of an unknown one in an error. */
const MAX_CODINGS = 4;
const MAX_NAME = 40;

type Decoder = Gunzip | Inflate | BrotliDecompress;

/** Decoders by the name of a coding (RFC 9110, 8.4.1), in lower case. */
const decoders: ReadonlyMap<string, () => Decoder> = new Map<string, () => Decoder>([
  ['gzip', () => createGunzip({ chunkSize: PIECE_BYTES })],
  ['x-gzip', () => createGunzip({ chunkSize: PIECE_BYTES })],
  ['deflate', () => createInflate({ chunkSize: PIECE_BYTES })],
  ['br', () => createBrotliDecompress({ chunkSize: PIECE_BYTES })],
]);

/** The body of one answer, while it comes. */
export interface AnswerBody {
  /** Takes the next bytes, as they were sent. */
  take(chunk: Uint8Array): void;
  /** Takes note that no more come: `done` follows, or `fail`. */
  end(): void;
  /** Ends the decoding at once; no call follows. Idempotent. */
  close(): void;
  /** Bytes that came out of decoders: of all, where there are several. */
  decodedBytes(): number;
}

/** Content codings and size bound of an answer's body. */
export interface AnswerBodyOptions {
  readonly carrier: string;
  /** Codings in the order in which they were applied, of {@link readCodings}. */
  readonly codings: readonly string[];
  /** Longest body: as it is sent, after each coding, and in the end. */
  readonly maxBytes: number;
  /** Gets the whole body. Its bytes have a buffer of their own, which may be moved to another thread. */
  done(body: Uint8Array<ArrayBuffer>): void;
  /** Gets a `PROTOCOL` error for a body that is too long or broken. */
  fail(error: CarrierError): void;
}

/**
 * Returns the codings of an answer, in the order in which they were applied, without `identity`.
 *
 * @throws CarrierError `PROTOCOL` for a coding that is unknown, and for more than four
 */
export function readCodings(carrier: string, headers: CarrierHttpResponse['headers']): string[] {
  const header = headers['content-encoding'];
  if (header === undefined) return [];
  const names = String(header).toLowerCase().split(',');
  const codings = names.map((name) => name.trim()).filter((name) => name && name !== 'identity');
  const unknown = codings.find((name) => !decoders.has(name));
  if (unknown !== undefined)
    throw broken(carrier, `its content coding \`${unknown.slice(0, MAX_NAME)}\` is unknown`);
  if (codings.length > MAX_CODINGS)
    throw broken(carrier, `it has more than ${MAX_CODINGS} content codings`);
  return codings;
}

/**
 * Creates the body of an answer. A compressed one is decoded on threads of Node while it comes, and never further than its bound
 * and one piece of 64 KiB.
 */
export function createAnswerBody(options: AnswerBodyOptions): AnswerBody {
  const { carrier, codings, maxBytes, done, fail } = options;
  const chunks: Uint8Array[] = [];
  let state: 'open' | 'decoded' | 'closed' = 'open';
  let isSent = false;
  let sentBytes = 0;
  let bytes = 0;
  let decodedBytes = 0;
  let steps: readonly Decoder[] = [];

  function close(): void {
    state = 'closed';
    for (const step of steps) step.destroy();
  }

  function refuse(error: CarrierError): void {
    if (state === 'closed') return;
    close();
    fail(error);
  }

  function isWithin(length: number): boolean {
    if (length <= maxBytes) return true;
    refuse(broken(carrier, `it exceeds \`maxBodyBytes\` (${maxBytes})`));
    return false;
  }

  function keep(chunk: Uint8Array): void {
    bytes += chunk.byteLength;
    chunks.push(chunk);
  }

  /** A decoder may be done before all bytes were sent: what follows its stream counts, and is no part of the body. */
  function finish(): void {
    if (!isSent || state === 'closed' || (steps.length > 0 && state === 'open')) return;
    close();
    done(joined(chunks, bytes));
  }

  /** Creates the decoders, the last coding first, each of which feeds the next. */
  function createSteps(): readonly Decoder[] {
    const created = codings.toReversed().map((coding) => ({ coding, step: decoderOf(coding) }));
    for (const [index, { coding, step }] of created.entries()) {
      const next = created[index + 1]?.step;
      let length = 0;
      step.on('data', (chunk: Uint8Array) => {
        if (state === 'closed') return;
        decodedBytes += chunk.byteLength;
        length += chunk.byteLength;
        if (!isWithin(length)) return;
        if (next) next.write(chunk);
        else keep(chunk);
      });
      step.once('end', () => {
        if (next) next.end();
        else if (state === 'open') {
          state = 'decoded';
          finish();
        }
      });
      step.on('error', (cause) => {
        const { code } = cause as NodeJS.ErrnoException;
        refuse(broken(carrier, `it is not whole ${coding} (${code})`, cause));
      });
    }
    return created.map(({ step }) => step);
  }

  return {
    take(chunk) {
      sentBytes += chunk.byteLength;
      if (state === 'closed' || !isWithin(sentBytes)) return;
      if (codings.length === 0) keep(chunk);
      else if (state === 'open') {
        if (steps.length === 0) steps = createSteps();
        steps[0]?.write(chunk);
      }
    },
    end() {
      isSent = true;
      // A body without a byte needs no decoder: servers send it with status 204, or by mistake.
      if (state === 'open') steps[0]?.end();
      finish();
    },
    close,
    decodedBytes: () => decodedBytes,
  };
}

function decoderOf(coding: string): Decoder {
  const create = decoders.get(coding);
  if (create === undefined) throw new TypeError(`Cannot decode \`${coding}\`: it is unknown`);
  return create();
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

function broken(carrier: string, why: string, cause?: unknown): CarrierError {
  return new CarrierError('PROTOCOL', `Cannot read answer of \`${carrier}\`: ${why}`, { cause });
}
