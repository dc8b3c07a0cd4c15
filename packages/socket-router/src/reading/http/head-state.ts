import type { Incomplete } from '../chunk-reader.ts';

/** Each reason for a refusal, with the status that answers it. */
export const HEAD_REFUSALS = {
  'bare-lf': 400,
  'bare-cr': 400,
  nul: 400,
  'control-character': 400,
  'proxy-line': 400,
  'request-line': 400,
  method: 400,
  'method-unknown': 501,
  target: 400,
  version: 400,
  'obs-fold': 400,
  'field-without-colon': 400,
  'field-name': 400,
  'space-before-colon': 400,
  'host-missing': 400,
  'host-repeated': 400,
  host: 400,
  'content-length': 400,
  'content-length-repeated': 400,
  'content-length-with-transfer-encoding': 400,
  'transfer-encoding': 400,
  'transfer-encoding-unknown': 501,
  'connect-with-body': 400,
  connection: 400,
  'connection-field': 400,
  'head-too-large': 431,
  'too-many-fields': 431,
} as const;

export type HeadRefusalReason = keyof typeof HEAD_REFUSALS;

/** Framing of the body: a number of bytes, 0 for no body, or chunks. */
export type BodyFraming =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' };

export interface RefusedHead {
  readonly kind: 'refused';
  readonly status: 400 | 431 | 501;
  readonly reason: HeadRefusalReason;
}

/** A head that Node's own parser reads as the same request. */
export interface Http1Head {
  readonly kind: 'http1';
  /** One of Node's `METHODS`. */
  readonly method: string;
  /** Target as sent: a path, `*`, an absolute `http:` or `https:` URL, or host and port of a CONNECT. */
  readonly target: string;
  readonly version: '1.0' | '1.1';
  /**
   * Returns the value of a header by its name in any case, decoded as Latin-1, as Node's `headers` has it. Reads the
   * chunks that were pushed, which must be unchanged.
   */
  header(name: string): string | undefined;
  /**
   * The client asks for another protocol: by CONNECT, or by an `Upgrade` that `Connection` names. Some clients offer
   * `h2c` with each request, also with a `body`, which Node 20 to 24 give as bytes of the new protocol.
   */
  readonly upgrade: boolean;
  readonly body: BodyFraming;
  /** Bytes of all chunks to the end of the empty line; what follows is the body. */
  readonly headBytes: number;
}

export type HeadState =
  | Incomplete
  | RefusedHead
  | Http1Head
  /** The preface of HTTP/2 without TLS, RFC 9113 3.4. */
  | { readonly kind: 'h2c' }
  /** The first byte is that of a TLS handshake. */
  | { readonly kind: 'tls' };

export function refuseHead(reason: HeadRefusalReason): RefusedHead {
  return { kind: 'refused', status: HEAD_REFUSALS[reason], reason };
}
