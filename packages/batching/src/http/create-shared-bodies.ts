import { createSignalListeners, wrongOption } from '@ticketing/kit';
import { settleCalls, WaitingCall, type WaitingCalls } from '../waiting-call.ts';
import { acceptedEncoding } from './accepted-encoding.ts';
import { type Encoded, EncodeQueue } from './encode-queue.ts';
import { entityTag, hasTag, weakTag } from './entity-tag.ts';
import { type KeptEncoding, KeptEncodings } from './kept-encodings.ts';
import type {
  BodyAnswer,
  BodyHeaders,
  BodyRequest,
  BodyToSend,
  HttpExchange,
  SharedBodies,
  SharedBodiesOptions,
  SharedBodiesStats,
} from './shared-bodies.ts';
import {
  type ResolvedSharedBodiesOptions,
  resolveSharedBodiesOptions,
} from './shared-bodies-options.ts';

/**
 * Creates shared bodies: each is encoded once, however many clients get it, in the coding that each of them accepts. Holds
 * encoded bytes within bounds, and no timer or handle; drop it when idle.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 * @example
 * const bodies = createSharedBodies();
 * const page = Buffer.from(JSON.stringify(await readReport()));
 * createServer((request, response) => bodies.send({ request, response }, page)).listen(0);
 */
export function createSharedBodies(options: SharedBodiesOptions = {}): SharedBodies {
  return new EncodedBodies(resolveSharedBodiesOptions(options));
}

/** One coding of one body. */
type Variant =
  | { readonly kind: 'pending'; readonly waiting: WaitingCalls<Encoded> }
  | { readonly kind: 'kept'; readonly kept: KeptEncoding }
  /** The encoding is not smaller, or failed. */
  | { readonly kind: 'plain' };

/** State of one body, for as long as the body is. */
interface BodyState {
  readonly variants: Map<string, Variant>;
  tag: string | undefined;
}

/** Answers to `Accept-Encoding` that are remembered. Clients have few, but may send any. */
const MAX_REMEMBERED = 100;
const LONGEST_REMEMBERED = 100;

const plain: Variant = { kind: 'plain' };

class EncodedBodies implements SharedBodies {
  readonly #options: ResolvedSharedBodiesOptions;
  readonly #queue: EncodeQueue;
  readonly #kept: KeptEncodings;
  readonly #signals = createSignalListeners();
  readonly #states = new WeakMap<Uint8Array, BodyState>();
  /** Drops the encoded bytes of a body that is gone. */
  readonly #gone: FinalizationRegistry<BodyState>;
  readonly #remembered = new Map<string, string | undefined>();
  readonly #counts = {
    asked: 0,
    encoded: 0,
    unchanged: 0,
    left: 0,
    compressed: 0,
    failed: 0,
    overflowed: 0,
    bytesIn: 0,
    bytesOut: 0,
  };

  constructor(options: ResolvedSharedBodiesOptions) {
    this.#options = options;
    this.#queue = new EncodeQueue(options.encode, options);
    this.#kept = new KeptEncodings(options);
    this.#gone = new FinalizationRegistry(({ variants }) => {
      for (const one of variants.values()) if (one.kind === 'kept') this.#kept.drop(one.kept);
    });
  }

  async answer(request: BodyRequest, toSend: BodyToSend): Promise<BodyAnswer> {
    const { body, status = 200, headers = {}, signal } = toSend;
    if (!(body instanceof Uint8Array)) {
      throw wrongOption('answer with a shared body', 'body', { expected: 'a Uint8Array' }, body);
    }
    signal?.throwIfAborted();
    this.#counts.asked += 1;
    const added: Record<string, string> = {};
    const cacheControl = String(headers['cache-control'] ?? '');
    const mayEncode =
      headers['content-encoding'] === undefined &&
      headers['content-range'] === undefined &&
      !hasDirective(cacheControl, 'no-transform');
    const encoding =
      mayEncode && body.length >= this.#options.minBytes
        ? this.#accepted(textOf(request.headers['accept-encoding']))
        : undefined;
    // What no cache keeps needs neither: the client that gets it has asked with its own headers.
    if (!hasDirective(cacheControl, 'no-store')) {
      if (mayEncode) addVary(added, headers['vary']);
      const tag = this.#options.etag && status === 200 ? this.#tagOf(body, headers) : undefined;
      if (tag !== undefined) {
        added['etag'] = encoding === undefined ? tag : weakTag(tag);
        if (isUnchanged(request, tag)) {
          this.#counts.unchanged += 1;
          return { status: 304, headers: added, body: undefined };
        }
      }
    }
    if (encoding === undefined) return { status, headers: added, body };
    const encoded =
      this.#known(body, encoding) ?? (await this.#encoded({ body, encoding, signal }));
    if (encoded === undefined || encoded === body) return { status, headers: added, body };
    this.#counts.encoded += 1;
    added['content-encoding'] = encoding;
    return { status, headers: added, body: encoded };
  }

  async send({ request, response }: HttpExchange, body: Uint8Array): Promise<void> {
    const client = new AbortController();
    const leave = (): void => client.abort();
    response.once('close', leave);
    try {
      const answer = await this.answer(request, {
        body,
        status: response.statusCode,
        headers: response.getHeaders(),
        signal: client.signal,
      });
      response.statusCode = answer.status;
      for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
      if (answer.body === undefined) {
        for (const name of ['content-type', 'content-length']) response.removeHeader(name);
        response.end();
      } else {
        response.setHeader('content-length', answer.body.length);
        response.end(answer.body);
      }
    } catch (error) {
      if (!client.signal.aborted) throw error;
    } finally {
      response.off('close', leave);
    }
  }

  stats(): SharedBodiesStats {
    return {
      ...this.#counts,
      inFlight: this.#queue.running,
      queued: this.#queue.waiting,
      kept: this.#kept.size,
      keptBytes: this.#kept.bytes,
    };
  }

  #accepted(header: string | undefined): string | undefined {
    if (header === undefined) return undefined;
    if (this.#remembered.has(header)) return this.#remembered.get(header);
    const encoding = acceptedEncoding(header, this.#options);
    if (header.length > LONGEST_REMEMBERED) return encoding;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(header, encoding);
    return encoding;
  }

  #tagOf(body: Uint8Array, headers: BodyHeaders): string {
    if (headers['etag'] !== undefined) return String(headers['etag']);
    const state = this.#stateOf(body);
    state.tag ??= entityTag(body);
    return state.tag;
  }

  #stateOf(body: Uint8Array): BodyState {
    let state = this.#states.get(body);
    if (state === undefined) {
      state = { variants: new Map(), tag: undefined };
      this.#states.set(body, state);
      this.#gone.register(body, state);
    }
    return state;
  }

  /** Returns the encoded bytes if they are here, or the body itself if its encoding is not smaller. */
  #known(body: Uint8Array, encoding: string): Uint8Array | undefined {
    const variant = this.#states.get(body)?.variants.get(encoding);
    if (variant === undefined || variant.kind === 'pending') return undefined;
    return variant.kind === 'plain' ? body : this.#kept.use(variant.kept);
  }

  /** Waits for the bytes; `undefined` if the body is to be sent as it is. */
  async #encoded({
    body,
    encoding,
    signal,
  }: {
    readonly body: Uint8Array;
    readonly encoding: string;
    readonly signal: AbortSignal | undefined;
  }): Promise<Uint8Array | undefined> {
    const waiting = this.#waitingFor(body, encoding);
    if (waiting === undefined) {
      this.#counts.overflowed += 1;
      return undefined;
    }
    const call = new WaitingCall(waiting);
    if (signal !== undefined) call.leaveBy(signal, this.#signals);
    const outcome = await call.promise;
    return outcome.kind === 'encoded' && outcome.bytes.length < body.length
      ? outcome.bytes
      : undefined;
  }

  /** Returns the calls that wait for an encoding, which begins if there is none; `undefined` if too many wait. */
  #waitingFor(body: Uint8Array, encoding: string): WaitingCalls<Encoded> | undefined {
    const { variants } = this.#stateOf(body);
    const known = variants.get(encoding);
    if (known?.kind === 'pending') return known.waiting;
    const calls = new Set<WaitingCall<Encoded>>();
    const settle = (outcome: Encoded): void => {
      variants.set(encoding, this.#settled(body, outcome));
      settleCalls(waiting, (call) => call.resolve(outcome));
    };
    const job = this.#queue.add({ encoding, body, settle });
    if (job === undefined) return undefined;
    const onLeave = (): void => {
      this.#counts.left += 1;
      if (calls.size === 0 && this.#queue.drop(job)) variants.delete(encoding);
    };
    const waiting = { calls, onLeave };
    variants.set(encoding, { kind: 'pending', waiting });
    return waiting;
  }

  /** Counts and keeps an encoding. */
  #settled(body: Uint8Array, outcome: Encoded): Variant {
    if (outcome.kind === 'failed') {
      this.#counts.failed += 1;
      return plain;
    }
    const { bytes } = outcome;
    this.#counts.compressed += 1;
    this.#counts.bytesIn += body.length;
    this.#counts.bytesOut += bytes.length;
    if (bytes.length >= body.length) return plain;
    return { kind: 'kept', kept: this.#kept.keep(bytes) };
  }
}

function isUnchanged({ method, headers }: BodyRequest, tag: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const wanted = textOf(headers['if-none-match']);
  return wanted !== undefined && hasTag(wanted, tag);
}

function textOf(header: BodyHeaders[string]): string | undefined {
  return header === undefined ? undefined : [header].flat().join(', ');
}

function hasDirective(cacheControl: string, directive: string): boolean {
  return cacheControl
    .toLowerCase()
    .split(',')
    .some((one) => one.trim() === directive);
}

function addVary(added: Record<string, string>, vary: BodyHeaders[string]): void {
  const names = String(vary ?? '');
  const isThere = /(?:^|,)\s*(?:\*|accept-encoding)\s*(?:,|$)/i.test(names);
  if (!isThere) added['vary'] = names === '' ? 'accept-encoding' : `${names}, accept-encoding`;
}
