/** How many bytes a ClientHello may have on the wire. */
export interface ClientHelloLimits {
  /** Bytes of all records with their headers, 1 or more; 16,384 is ample, usual hellos have 300 to 2,000. */
  readonly helloBytes: number;
}

export type ClientHelloRefusalReason =
  /** Not a TLS record, or not a handshake record, before the hello is whole. */
  | 'record'
  /** The handshake starts with something else. */
  | 'not-client-hello'
  /** A length within the hello contradicts another. */
  | 'malformed'
  /** Bytes behind the hello in its last record. */
  | 'trailing-bytes'
  | 'server-name'
  | 'alpn'
  /** `server_name` or ALPN twice. */
  | 'repeated-extension'
  | 'hello-too-large';

export interface ClientHello {
  readonly kind: 'hello';
  /**
   * The host name asked for, in lower case: under ECH the outer one. Undefined when there is none, or
   * when the client sent an address, which RFC 6066 does not permit but servers ignore.
   */
  readonly sni: string | undefined;
  /** The protocols offered, in order, decoded as Latin-1, without GREASE. */
  readonly alpn: readonly string[];
}

export interface RefusedClientHello {
  readonly kind: 'refused';
  readonly reason: ClientHelloRefusalReason;
}

export type ClientHelloState = { readonly kind: 'incomplete' } | RefusedClientHello | ClientHello;

export function refuseHello(reason: ClientHelloRefusalReason): RefusedClientHello {
  return { kind: 'refused', reason };
}
