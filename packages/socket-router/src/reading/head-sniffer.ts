import type { ProxiedAddresses } from '../contract/head.ts';
import { createHeadReader, type HeadReader } from './http/head-reader.ts';
import type { Http1Head } from './http/head-state.ts';
import { createProxyReader, type ProxyReader } from './proxy-protocol/proxy-protocol.ts';
import { type ClientHelloReader, createClientHelloReader } from './tls/client-hello-reader.ts';
import type { ClientHello } from './tls/client-hello-state.ts';

/** What the first bytes of a connection are. */
export type ReadHead = Http1Head | { readonly kind: 'h2c' } | ClientHello;

/** What is known after some bytes; status 0 refuses by a mere close, since the client speaks no HTTP. */
export type Sniffed =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  | { readonly kind: 'read'; readonly head: ReadHead };

export interface SnifferOptions {
  readonly protocol: 'http' | 'tls-sni' | 'auto';
  readonly headBytes: number;
}

const INCOMPLETE: Sniffed = { kind: 'incomplete' };

/** Reads the beginning of one connection: a PROXY header if it must have one, then the head or the ClientHello. */
export class HeadSniffer {
  readonly #options: SnifferOptions;
  #proxyReader: ProxyReader | undefined;
  #headReader: HeadReader | undefined;
  #helloReader: ClientHelloReader | undefined;
  #seen = 0;
  /** Bytes of the PROXY header: they are not for the worker. */
  proxyBytes = 0;
  proxy: ProxiedAddresses | undefined;

  constructor(options: SnifferOptions, proxied: boolean) {
    this.#options = options;
    if (proxied) this.#proxyReader = createProxyReader();
  }

  push(chunk: Buffer): Sniffed {
    return this.#proxyReader === undefined
      ? this.#readHead(chunk)
      : this.#readProxy(this.#proxyReader, chunk);
  }

  /** How a client is told that its head took too long: in HTTP, or not at all. */
  get speaksTls(): boolean {
    return this.#helloReader !== undefined || this.#options.protocol === 'tls-sni';
  }

  #readProxy(reader: ProxyReader, chunk: Buffer): Sniffed {
    const state = reader.push(chunk);
    if (state.kind === 'incomplete') {
      this.#seen += chunk.length;
      return INCOMPLETE;
    }
    if (state.kind === 'none')
      return { kind: 'refused', status: 0, reason: 'proxy-header-missing' };
    if (state.kind === 'refused') {
      return { kind: 'refused', status: 0, reason: `proxy-header-${state.reason}` };
    }
    const { source, destination, headerBytes } = state;
    if (source !== undefined && destination !== undefined) this.proxy = { source, destination };
    this.proxyBytes = headerBytes;
    this.#proxyReader = undefined;
    const rest = chunk.subarray(headerBytes - this.#seen);
    return rest.length === 0 ? INCOMPLETE : this.#readHead(rest);
  }

  #readHead(chunk: Buffer): Sniffed {
    const { protocol, headBytes } = this.#options;
    if (this.#helloReader !== undefined || protocol === 'tls-sni') return this.#readHello(chunk);
    this.#headReader ??= createHeadReader({ headBytes });
    const state = this.#headReader.push(chunk);
    if (state.kind === 'http1' || state.kind === 'h2c') return { kind: 'read', head: state };
    if (state.kind !== 'tls') return state;
    // The first byte tells TLS, so nothing came before this chunk.
    if (protocol === 'auto') return this.#readHello(chunk);
    return { kind: 'refused', status: 0, reason: 'tls-on-plain-port' };
  }

  #readHello(chunk: Buffer): Sniffed {
    this.#helloReader ??= createClientHelloReader({ helloBytes: this.#options.headBytes });
    const state = this.#helloReader.push(chunk);
    if (state.kind === 'incomplete') return INCOMPLETE;
    if (state.kind === 'hello') return { kind: 'read', head: state };
    return { kind: 'refused', status: 0, reason: `hello-${state.reason}` };
  }
}
