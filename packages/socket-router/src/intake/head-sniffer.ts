import type { ProxiedAddresses } from '../contract/head.ts';
import type { ResolvedRouterOptions } from '../options/router-options.ts';
import { INCOMPLETE, type Incomplete } from '../reading/chunk-reader.ts';
import { createHeadReader, type HeadReader } from '../reading/http/head-reader.ts';
import type { Http1Head } from '../reading/http/head-state.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';
import type { ClientHelloLimits, ClientHelloReader } from '../reading/tls/client-hello-reader.ts';
import type { ClientHello } from '../reading/tls/parse-client-hello.ts';

/** The first request or hello of a connection. */
export type ReadHead =
  | Http1Head
  | { readonly kind: 'h2c' }
  | { readonly kind: 'tcp' }
  | ClientHello;

/** Result of some bytes; status 0 closes without an answer, because the client speaks no HTTP. */
export type Sniffed =
  | Incomplete
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  | { readonly kind: 'read'; readonly head: ReadHead };

/** Readers that a router needs only with `protocol` or `proxyProtocol` set. */
export interface OptionalReaders {
  readonly createProxyReader: (() => ProxyReader) | undefined;
  readonly createHelloReader: ((limits: ClientHelloLimits) => ClientHelloReader) | undefined;
}

/** Loads the readers that a router's options need; a router of plain HTTP starts without their code. */
export async function loadReaders({
  protocol,
  isProxy,
}: Pick<ResolvedRouterOptions, 'protocol' | 'isProxy'>): Promise<OptionalReaders> {
  const [proxyProtocol, tls] = await Promise.all([
    isProxy ? import('../reading/proxy-protocol/proxy-protocol.ts') : undefined,
    protocol === 'http' || protocol === 'tcp'
      ? undefined
      : import('../reading/tls/client-hello-reader.ts'),
  ]);
  return {
    createProxyReader: proxyProtocol?.createProxyReader,
    createHelloReader: tls?.createClientHelloReader,
  };
}

/** The head of a connection whose protocol the router does not know. */
export const UNREAD: ReadHead = { kind: 'tcp' };

export interface SnifferOptions extends Pick<OptionalReaders, 'createHelloReader'> {
  readonly protocol: 'http' | 'tls-sni' | 'auto' | 'tcp';
  readonly headBytes: number;
}

/** Reads the beginning of one connection: its PROXY header if it must have one, then the head or the ClientHello. */
export class HeadSniffer {
  readonly #options: SnifferOptions;
  #proxyReader: ProxyReader | undefined;
  #headReader: HeadReader | undefined;
  #helloReader: ClientHelloReader | undefined;
  #seen = 0;
  /** Length of the PROXY header, which is not for the worker. */
  proxyBytes = 0;
  proxy: ProxiedAddresses | undefined;

  /** `proxyReader`: for a connection that must begin with a PROXY header. */
  constructor(options: SnifferOptions, proxyReader: ProxyReader | undefined) {
    this.#options = options;
    this.#proxyReader = proxyReader;
  }

  push(chunk: Buffer): Sniffed {
    return this.#proxyReader === undefined
      ? this.#readHead(chunk)
      : this.#readProxy(this.#proxyReader, chunk);
  }

  /** True if the client would not understand an answer in HTTP. */
  get speaksTls(): boolean {
    return this.#helloReader !== undefined || this.#options.protocol === 'tls-sni';
  }

  #readProxy(reader: ProxyReader, chunk: Buffer): Sniffed {
    const state = reader.push(chunk);
    if (state.kind === 'incomplete') {
      this.#seen += chunk.length;
      return INCOMPLETE;
    }
    if (state.kind === 'none') return closeFor('proxy-header-missing');
    if (state.kind === 'refused') return closeFor(`proxy-header-${state.reason}`);
    const { source, destination, headerBytes } = state;
    if (source !== undefined && destination !== undefined) this.proxy = { source, destination };
    this.proxyBytes = headerBytes;
    this.#proxyReader = undefined;
    if (this.#options.protocol === 'tcp') return { kind: 'read', head: UNREAD };
    const rest = chunk.subarray(headerBytes - this.#seen);
    return rest.length === 0 ? INCOMPLETE : this.#readHead(rest);
  }

  #readHead(chunk: Buffer): Sniffed {
    if (this.speaksTls) return this.#readHello(chunk);
    this.#headReader ??= createHeadReader(this.#options);
    const state = this.#headReader.push(chunk);
    if (state.kind === 'http1' || state.kind === 'h2c') return { kind: 'read', head: state };
    // The first byte shows TLS, so nothing came before this chunk.
    return state.kind === 'tls' ? this.#readHello(chunk) : state;
  }

  #readHello(chunk: Buffer): Sniffed {
    const { createHelloReader, headBytes } = this.#options;
    this.#helloReader ??= createHelloReader?.({ helloBytes: headBytes });
    if (this.#helloReader === undefined) return closeFor('tls-on-plain-port');
    const state = this.#helloReader.push(chunk);
    if (state.kind === 'hello') return { kind: 'read', head: state };
    return state.kind === 'incomplete' ? INCOMPLETE : closeFor(`hello-${state.reason}`);
  }
}

function closeFor(reason: string): Sniffed {
  return { kind: 'refused', status: 0, reason };
}
