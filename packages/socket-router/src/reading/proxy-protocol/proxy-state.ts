/** One end of the connection that the proxy accepted. */
export interface ProxyEndpoint {
  readonly family: 'ipv4' | 'ipv6' | 'unix';
  /** An address in its shortest form, or a socket's path; `@` stands for the NUL of an abstract one. */
  readonly address: string;
  /** 0 for a path. */
  readonly port: number;
}

export type ProxyRefusalReason =
  /** A line without CRLF within 107 bytes. */
  | 'line-too-long'
  /** A line of another form than the specification's. */
  | 'line'
  | 'address'
  | 'port'
  | 'version'
  | 'command'
  | 'family'
  /** The header ends within its addresses or within a TLV. */
  | 'length'
  | 'header-too-large'
  | 'checksum';

export interface ProxyHeader {
  readonly kind: 'proxy';
  readonly version: 1 | 2;
  /** `local`: the proxy itself connects, to look whether we live. */
  readonly command: 'proxy' | 'local';
  /** The client; undefined when the proxy does not know it or speaks for itself. */
  readonly source?: ProxyEndpoint;
  readonly destination?: ProxyEndpoint;
  /** Bytes of all chunks up to the header's end; what is behind belongs to the client. */
  readonly headerBytes: number;
}

export interface RefusedProxyHeader {
  readonly kind: 'refused';
  readonly reason: ProxyRefusalReason;
}

export type ProxyState =
  | { readonly kind: 'incomplete' }
  | RefusedProxyHeader
  | ProxyHeader
  /** The bytes start with no PROXY header. */
  | { readonly kind: 'none' };

export function refuseProxy(reason: ProxyRefusalReason): RefusedProxyHeader {
  return { kind: 'refused', reason };
}
