/** The two ends of the connection that a trusted proxy accepted. */
export interface ProxiedAddresses {
  readonly source: { readonly address: string; readonly port: number };
  readonly destination: { readonly address: string; readonly port: number };
}

/** What a router has read of a connection when it chooses a worker. */
export interface Head {
  /**
   * `http1`: a request head; `h2c`: HTTP/2 without TLS, whose requests are not read; `tls`: a ClientHello; `tcp`: nothing was
   * read, since `protocol` is `tcp`.
   */
  readonly kind: 'http1' | 'h2c' | 'tls' | 'tcp';
  /** Of `http1`, as sent. */
  readonly method?: string;
  /** Of `http1`, as sent: a path, or an absolute address. */
  readonly target?: string;
  /**
   * Of `http1`: returns the value of a header by its name in any case. Repeated ones are as in Node's `headers`: the first
   * of those that may occur once, cookies joined by `; `, all others by `, `.
   */
  header?(name: string): string | undefined;
  /** Of `tls`: the requested server name. */
  readonly sni?: string;
  /** Of `tls`: the protocols that the client offers, its preferred one first. */
  readonly alpn?: readonly string[];
  /** The client's address; with a PROXY header from a trusted proxy, the address in it. */
  readonly remoteAddress: string | undefined;
  /** Present when a trusted proxy sent a PROXY header with addresses. */
  readonly proxy?: ProxiedAddresses;
}

/**
 * To the worker of a key: the same one for equal keys while the same workers are there. When one leaves, only its keys
 * move, to others; they return when its slot has a worker again.
 */
export interface KeyRoute {
  readonly key: string;
  /**
   * Only these slots, of the router's workers: the others stay free, for canaries. An empty list is refused with 500, a slot
   * that the router has never had with 503.
   */
  readonly among?: readonly string[] | undefined;
  readonly slot?: undefined;
  readonly refuse?: undefined;
  readonly answer?: undefined;
}

/** To the worker of a slot, and to no other: the connection waits while that one starts. */
export interface SlotRoute {
  readonly slot: string;
  readonly key?: undefined;
  readonly among?: undefined;
  readonly refuse?: undefined;
  readonly answer?: undefined;
}

/** To none: an HTTP status of 400 to 599. */
export interface RefuseRoute {
  readonly refuse: number;
  readonly answer?: undefined;
  readonly key?: undefined;
  readonly among?: undefined;
  readonly slot?: undefined;
}

/** To none: the router answers the request itself, and closes the connection. A TLS client gets an alert. */
export interface AnswerRoute {
  readonly answer: {
    /** 200 to 599. */
    readonly status: number;
    /**
     * Without those that say how an answer is sent, such as `content-length`. `content-type` is `text/plain; charset=utf-8`
     * unless it is here.
     */
    readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
    /** A short one: the client has a second to read it. */
    readonly body?: string | Uint8Array | undefined;
  };
  readonly key?: undefined;
  readonly among?: undefined;
  readonly slot?: undefined;
  readonly refuse?: undefined;
}

/** Where a connection goes. `undefined`: to the worker with the fewest connections. */
export type Route = KeyRoute | SlotRoute | RefuseRoute | AnswerRoute | undefined;

/** Routes by the head: once per connection in mode `socket`, once per request in mode `passthru`. */
export type RouteFunction = (head: Head) => Route;
