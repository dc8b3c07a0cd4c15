import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** Encodes the bytes of a body. */
export type EncodeBody = (encoding: string, body: Uint8Array) => PromiseLike<Uint8Array>;

/** Options of `createSharedBodies`. */
export interface SharedBodiesOptions {
  /** Content codings that are offered, the preferred one first. Default: `br`, `zstd` where Node.js has it, `gzip`. */
  readonly encodings?: readonly string[] | undefined;
  /** Order that decides among codings that a client accepts equally: of `encodings` (`server`) or of its `Accept-Encoding` (`client`). Default `server`. */
  readonly preference?: 'server' | 'client' | undefined;
  /** Encodes a body. Default: `node:zlib` on its threads, with Brotli at level 5 and the others at their own default. */
  readonly encode?: EncodeBody | undefined;
  /** Bytes below which a body is sent as it is. Default 1024. */
  readonly minBytes?: number | undefined;
  /** True to give an answer with status 200 an `ETag`, and to answer `If-None-Match` with 304. Default `true`. */
  readonly etag?: boolean | undefined;
  /** Most encoded bodies that are kept; the least recently used one is dropped. Default 1000. */
  readonly maxEncoded?: number | undefined;
  /** Most bytes of encoded bodies that are kept. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Most encodings under way. Default 4, as `node:zlib` has threads. */
  readonly concurrency?: number | undefined;
  /** Most encodings that wait for others; above it a body is sent as it is. Default 1000. */
  readonly maxQueued?: number | undefined;
}

/** Headers by lower-case names. */
export type BodyHeaders = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** A request, as `node:http`, `node:http2`, Fastify, Express and Koa have it. */
export interface BodyRequest {
  readonly method?: string | undefined;
  readonly headers: BodyHeaders;
}

/** A body, and the answer that it belongs to. */
export interface BodyToSend {
  /** Bytes of the answer, which must not change while clients get them: equal bytes in another object are another body. */
  readonly body: Uint8Array;
  /** Default 200. */
  readonly status?: number | undefined;
  /** Headers that the answer has so far, as `response.getHeaders()` returns them. Default: none. */
  readonly headers?: BodyHeaders | undefined;
  /** Aborts when the client leaves. */
  readonly signal?: AbortSignal | undefined;
}

/** Answer to send. */
export interface BodyAnswer {
  /** 304 if the client has the body, else the status that was given. */
  readonly status: number;
  /** Headers to add or replace: `content-encoding`, `vary`, `etag`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent with 304. Node.js leaves it out in the answer to HEAD. */
  readonly body: Uint8Array | undefined;
}

/** Counters since the start, and the encodings and bodies that are held now. */
export interface SharedBodiesStats {
  /** Answers that were asked for. */
  readonly asked: number;
  /** Answers with a content coding. */
  readonly encoded: number;
  /** Answers with 304. */
  readonly unchanged: number;
  /** Callers that left while they waited. */
  readonly left: number;
  /** Encodings that were made: one for each body and coding. */
  readonly compressed: number;
  /** Encodings that failed, so that bodies were sent without a coding. */
  readonly failed: number;
  /** Answers that were sent as they are because of `maxQueued`. */
  readonly overflowed: number;
  /** Bytes of the bodies before and after their encoding. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Encodings under way, and encodings that wait. */
  readonly inFlight: number;
  readonly queued: number;
  /** Encoded bodies that are kept, and their bytes. */
  readonly kept: number;
  readonly keptBytes: number;
}

/** A request and its response. */
export interface HttpExchange {
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly response: ServerResponse | Http2ServerResponse;
}

/** Bodies that are encoded once for all clients who get them. */
export interface SharedBodies {
  /**
   * Resolves with the answer for one client. The body is encoded once for each coding, however many ask; the encoded bytes are
   * shared, and are kept as long as the body is, within `maxEncoded` and `maxBytes`.
   *
   * Sent as it is: a body with `content-encoding` or `content-range`, one whose `cache-control` has `no-transform`, and one
   * that its encoding does not make smaller. With `no-store` the answer has neither `vary` nor `etag`.
   *
   * @throws TypeError as a rejection for a body that is no Uint8Array; the signal's reason
   */
  answer(request: BodyRequest, toSend: BodyToSend): Promise<BodyAnswer>;
  /**
   * Sends a body over `node:http` or Express, with the status and headers that the response has. Resolves when it is handed to
   * Node.js, or the client has left.
   *
   * @throws TypeError as a rejection for a body that is no Uint8Array
   */
  send(exchange: HttpExchange, body: Uint8Array): Promise<void>;
  stats(): SharedBodiesStats;
}
