import { isIP } from 'node:net';
import { type Incomplete, type Refused, refuse } from '../chunk-reader.ts';

type ClientHelloRefusalReason =
  /** No TLS handshake record before the hello is whole. */
  | 'record'
  /** The handshake starts with something else. */
  | 'not-client-hello'
  /** A length within the hello contradicts another. */
  | 'malformed'
  /** Bytes after the hello in its last record. */
  | 'trailing-bytes'
  | 'server-name'
  | 'alpn'
  /** `server_name` or ALPN twice. */
  | 'repeated-extension'
  | 'hello-too-large';

export interface ClientHello {
  readonly kind: 'hello';
  /**
   * The requested host name in lower case, under ECH the outer one. Undefined without one, or when the client sent an
   * address, which RFC 6066 does not permit but servers ignore.
   */
  readonly sni: string | undefined;
  /** The protocols offered, in order, decoded as Latin-1, without GREASE. */
  readonly alpn: readonly string[];
}

type RefusedClientHello = Refused<ClientHelloRefusalReason>;

export type ClientHelloState = Incomplete | RefusedClientHello | ClientHello;

const SERVER_NAME = 0;
const ALPN = 16;
const RANDOM_BYTES = 32;
const MAX_SESSION_ID_BYTES = 32;

/**
 * Reads the body of a ClientHello, RFC 8446 4.1.2, which is that of TLS 1.2 too. Of the extensions it reads the server
 * name and ALPN, and skips all others, known or GREASE, by their length.
 */
export function parseClientHello(
  bytes: Buffer,
  start: number,
  end: number,
): ClientHello | RefusedClientHello {
  const hello = new VectorReader(bytes, start, end);
  const major = hello.uint8();
  hello.skip(1 + RANDOM_BYTES);
  const sessionIdBytes = hello.uint8();
  hello.skip(sessionIdBytes);
  const cipherSuitesBytes = hello.uint16();
  hello.skip(cipherSuitesBytes);
  const compressionBytes = hello.uint8();
  hello.skip(compressionBytes);
  if (
    hello.failed ||
    major !== 3 ||
    sessionIdBytes > MAX_SESSION_ID_BYTES ||
    cipherSuitesBytes < 2 ||
    cipherSuitesBytes % 2 === 1 ||
    compressionBytes === 0
  ) {
    return refuse('malformed');
  }
  // Before TLS 1.3 a hello may end without extensions.
  if (hello.remaining === 0) return { kind: 'hello', sni: undefined, alpn: [] };
  const extensions = hello.vector(hello.uint16());
  if (hello.failed || hello.remaining > 0) return refuse('malformed');
  return readExtensions(extensions);
}

function readExtensions(extensions: VectorReader): ClientHello | RefusedClientHello {
  let sni: string | undefined;
  let alpn: readonly string[] = [];
  let hasSni = false;
  let hasAlpn = false;
  while (extensions.remaining > 0 && !extensions.failed) {
    const type = extensions.uint16();
    const extension = extensions.vector(extensions.uint16());
    if (extensions.failed) break;
    if (type === SERVER_NAME) {
      if (hasSni) return refuse('repeated-extension');
      hasSni = true;
      const name = readServerName(extension);
      if (typeof name === 'object') return name;
      sni = name;
    } else if (type === ALPN) {
      if (hasAlpn) return refuse('repeated-extension');
      hasAlpn = true;
      const protocols = readAlpn(extension);
      if ('kind' in protocols) return protocols;
      alpn = protocols;
    }
  }
  return extensions.failed ? refuse('malformed') : { kind: 'hello', sni, alpn };
}

/** Reads the extension `application_layer_protocol_negotiation`, RFC 7301 3.1. */
function readAlpn(extension: VectorReader): readonly string[] | RefusedClientHello {
  const list = extension.vector(extension.uint16());
  const protocols: string[] = [];
  if (list.remaining === 0 || extension.remaining > 0) return refuse('alpn');
  while (list.remaining > 0) {
    const protocol = list.text(list.uint8());
    if (protocol === '') return refuse('alpn');
    if (!isGrease(protocol)) protocols.push(protocol);
  }
  return protocols;
}

/** Two equal bytes 0x?A, RFC 8701 2: clients send them so that servers learn to ignore unknown values. */
function isGrease(protocol: string): boolean {
  const byte = protocol.charCodeAt(0);
  return protocol.length === 2 && protocol.charCodeAt(1) === byte && (byte & 0x0f) === 0x0a;
}

const HOST_NAME = 0;
const MAX_NAME_LENGTH = 253;
/** Letters, digits, hyphens, and underscores, which names in use have; no dot at the end. */
const NAME =
  /^[0-9a-z_](?:[0-9a-z_-]{0,61}[0-9a-z_])?(?:\.[0-9a-z_](?:[0-9a-z_-]{0,61}[0-9a-z_])?)*$/;

/** Reads the extension `server_name`, RFC 6066 3: one name, of the one type that exists. An address is no name. */
function readServerName(extension: VectorReader): string | undefined | RefusedClientHello {
  const list = extension.vector(extension.uint16());
  const type = list.uint8();
  const name = list.text(list.uint16()).toLowerCase();
  const isWhole = !extension.failed && !list.failed && extension.remaining + list.remaining === 0;
  if (!isWhole || type !== HOST_NAME) return refuse('server-name');
  if (name.length <= MAX_NAME_LENGTH && NAME.test(name)) return isIP(name) ? undefined : name;
  return isIP(name) ? undefined : refuse('server-name');
}

/**
 * Reads bytes by their lengths, RFC 8446 3.4. Past the end it reads zeros and stays `failed`, so a caller reads a whole
 * structure and checks for failure once.
 */
class VectorReader {
  failed = false;
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get remaining(): number {
    return this.#end - this.#at;
  }

  uint8(): number {
    return this.#skipped(1) ? (this.#bytes[this.#at - 1] as number) : 0;
  }

  uint16(): number {
    return this.#skipped(2) ? this.#bytes.readUInt16BE(this.#at - 2) : 0;
  }

  skip(length: number): void {
    this.#skipped(length);
  }

  /** Returns a reader of the next bytes; an empty one past the end. */
  vector(length: number): VectorReader {
    const start = this.#at;
    const end = this.#skipped(length) ? this.#at : start;
    return new VectorReader(this.#bytes, start, end);
  }

  /** Returns the next bytes as Latin-1. */
  text(length: number): string {
    if (!this.#skipped(length)) return '';
    return this.#bytes.toString('latin1', this.#at - length, this.#at);
  }

  #skipped(length: number): boolean {
    if (this.failed || length > this.remaining) {
      this.failed = true;
      return false;
    }
    this.#at += length;
    return true;
  }
}
