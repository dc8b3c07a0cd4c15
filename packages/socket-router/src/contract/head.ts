/** The two ends of the connection that a trusted proxy accepted. */
export interface ProxiedAddresses {
  readonly source: { readonly address: string; readonly port: number };
  readonly destination: { readonly address: string; readonly port: number };
}

/** Head of a connection, as a router has read it when it chooses a worker. */
export interface Head {
  /**
   * `http1`: a request head; `h2c`: HTTP/2 without TLS, whose requests are not read; `tls`: a ClientHello; `tcp`: nothing was
   * read, because `protocol` is `tcp`.
   */
  readonly kind: 'http1' | 'h2c' | 'tls' | 'tcp';
  /** Method of `http1`, as sent. */
  readonly method?: string;
  /** Target of `http1`, as sent: a path, or an absolute address. */
  readonly target?: string;
  /**
   * Returns, of `http1`, the value of a header by its name in any case. Repeated ones are as in Node's `headers`: the first
   * of a header that may occur once, cookies joined by `; `, all others by `, `.
   */
  header?(name: string): string | undefined;
  /** Server name that the client of `tls` requests. */
  readonly sni?: string;
  /** Protocols that the client of `tls` offers, its preferred one first. */
  readonly alpn?: readonly string[];
  /** The client's address; with a PROXY header from a trusted proxy, the address in it. */
  readonly remoteAddress: string | undefined;
  /** Present when a trusted proxy sent a PROXY header with addresses. */
  readonly proxy?: ProxiedAddresses;
}

/**
 * Route to the worker of a key: the same one for equal keys while the same workers are there. When one leaves, only its keys
 * move, to others; they return when its slot has a worker again.
 */
export interface KeyRoute {
  readonly key: string;
  /**
   * Slots that the key may go to, of the router's workers: the others stay free, for canaries. An empty list is refused with 500, a slot
   * that the router has never had with 503.
   */
  readonly among?: readonly string[] | undefined;
  readonly slot?: undefined;
  readonly refuse?: undefined;
  readonly answer?: undefined;
}

/** Route to the worker of a slot, and to no other: the connection waits while that one starts. */
export interface SlotRoute {
  readonly slot: string;
  readonly key?: undefined;
  readonly among?: undefined;
  readonly refuse?: undefined;
  readonly answer?: undefined;
}

/** Refusal with an HTTP status of 400 to 599. */
export interface RefuseRoute {
  readonly refuse: number;
  readonly answer?: undefined;
  readonly key?: undefined;
  readonly among?: undefined;
  readonly slot?: undefined;
}

/** Answer of the router itself, which closes the connection. A TLS client gets an alert. */
export interface AnswerRoute {
  readonly answer: {
    /** 200 to 599. */
    readonly status: number;
    /**
     * Headers of the answer, without `content-length` and others of how it is sent. `content-type` is `text/plain; charset=utf-8`
     * unless it is here.
     */
    readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
    /** Body of the answer, a short one: the client has a second to read it. */
    readonly body?: string | Uint8Array | undefined;
  };
  readonly key?: undefined;
  readonly among?: undefined;
  readonly slot?: undefined;
  readonly refuse?: undefined;
}

/** Destination of a connection. `undefined`: the worker with the fewest connections. */
export type Route = KeyRoute | SlotRoute | RefuseRoute | AnswerRoute | undefined;

/** Routes by the head: once per connection in mode `socket`, once per request in mode `passthru`. */
export type RouteFunction = (head: Head) => Route;
