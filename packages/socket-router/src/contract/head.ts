/** Where a connection came from and where it went, as a trusted proxy tells it. */
export interface ProxiedAddresses {
  readonly source: { readonly address: string; readonly port: number };
  readonly destination: { readonly address: string; readonly port: number };
}

/** What a router has read of a connection when it decides who gets it. */
export interface Head {
  /** `http1`: a request head; `h2c`: HTTP/2 without TLS, of which no request is known yet; `tls`: a ClientHello. */
  readonly kind: 'http1' | 'h2c' | 'tls';
  /** Of `http1`, as sent. */
  readonly method?: string;
  /** Of `http1`, as sent: a path, or an absolute address. */
  readonly target?: string;
  /**
   * Of `http1`: the value of a header by its name in any case. Repeated ones as in Node's `headers`: the first of those
   * that may stand once, cookies joined by `; `, all others by `, `.
   */
  header?(name: string): string | undefined;
  /** Of `tls`: the server name that the client asks for. */
  readonly sni?: string;
  /** Of `tls`: the protocols that the client speaks, the one it likes best first. */
  readonly alpn?: readonly string[];
  /** The client's address; with a PROXY header from a trusted proxy, the one that it tells. */
  readonly remoteAddress: string | undefined;
  /** Present when a trusted proxy sent a PROXY header with addresses. */
  readonly proxy?: ProxiedAddresses;
}

/**
 * Who gets a connection: the worker that a key belongs to, the worker of a slot, or none (an HTTP status of
 * 400 to 599). `undefined` is the worker with the fewest connections.
 */
export type Route =
  | { readonly key: string }
  | { readonly slot: string }
  | { readonly refuse: number }
  | undefined;

/** Decides by the head; called once for a connection in mode `socket`, once for a request in mode `passthru`. */
export type RouteFunction = (head: Head) => Route;
