import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { type Incomplete, type Refused, refuse } from '../chunk-reader.ts';
import { crc32c } from './crc32c.ts';

/** One end of the connection that the proxy accepted. */
interface ProxyEndpoint {
  readonly family: 'ipv4' | 'ipv6' | 'unix';
  /** An address in its shortest form, or a socket's path; `@` stands for the NUL of an abstract one. */
  readonly address: string;
  /** 0 for a path. */
  readonly port: number;
}

type ProxyRefusalReason =
  /** A line without CRLF within 107 bytes. */
  | 'line-too-long'
  /** A line that the specification does not allow. */
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

interface ProxyHeader {
  readonly kind: 'proxy';
  readonly version: 1 | 2;
  /** `local`: the proxy itself connects, as a health check. */
  readonly command: 'proxy' | 'local';
  /** The client; undefined when the proxy does not know it or speaks for itself. */
  readonly source?: ProxyEndpoint;
  readonly destination?: ProxyEndpoint;
  /** Bytes of all chunks to the end of the header; what follows is the client's. */
  readonly headerBytes: number;
}

export type ProxyState =
  | Incomplete
  | Refused<ProxyRefusalReason>
  | ProxyHeader
  /** The bytes do not start with a PROXY header. */
  | { readonly kind: 'none' };

/** Bytes of version 2 before its addresses: signature, version and command, family, length. */
export const BLOCK_PREFIX_BYTES = 16;

const TYPE_CRC32C = 0x03;
const UNIX_PATH_BYTES = 108;

/** Bytes of both addresses with their ports, by family and transport. */
const ADDRESS_BYTES: Readonly<Record<number, number>> = {
  0: 0,
  17: 12,
  18: 12,
  33: 36,
  34: 36,
  49: 2 * UNIX_PATH_BYTES,
  50: 2 * UNIX_PATH_BYTES,
};

/** Reads a whole header of version 2, proxy-protocol.txt 2.2, whose version is checked. */
export function parseProxyBlock(header: Buffer): ProxyState {
  const headerBytes = header.length;
  const command = header.readUInt8(12) & 0x0f;
  // The family and addresses of a local connection are ignored.
  if (command === 0) return { kind: 'proxy', version: 2, command: 'local', headerBytes };
  if (command !== 1) return refuse('command');
  const family = header.readUInt8(13);
  const addressBytes = ADDRESS_BYTES[family];
  if (addressBytes === undefined) return refuse('family');
  if (family === 0) return { kind: 'proxy', version: 2, command: 'proxy', headerBytes };
  if (BLOCK_PREFIX_BYTES + addressBytes > headerBytes) return refuse('length');
  const wrong = wrongTlv(header, BLOCK_PREFIX_BYTES + addressBytes);
  if (wrong !== undefined) return refuse(wrong);
  const { source, destination } = endpointsOf(header, family);
  // A reader of the path would mistake it for the client's address.
  if (source.family === 'unix' && isIP(source.address) !== 0) return refuse('address');
  return { kind: 'proxy', version: 2, command: 'proxy', source, destination, headerBytes };
}

function endpointsOf(
  header: Buffer,
  family: number,
): { readonly source: ProxyEndpoint; readonly destination: ProxyEndpoint } {
  const at = BLOCK_PREFIX_BYTES;
  switch (family >> 4) {
    case 1: {
      const address = (from: number) => header.subarray(from, from + 4).join('.');
      return {
        source: endpointOf('ipv4', address(at), header.readUInt16BE(at + 8)),
        destination: endpointOf('ipv4', address(at + 4), header.readUInt16BE(at + 10)),
      };
    }
    case 2:
      return {
        source: endpointOf('ipv6', groupsOf(header, at), header.readUInt16BE(at + 32)),
        destination: endpointOf('ipv6', groupsOf(header, at + 16), header.readUInt16BE(at + 34)),
      };
    default:
      return {
        source: pathOf(header, at),
        destination: pathOf(header, at + UNIX_PATH_BYTES),
      };
  }
}

function groupsOf(header: Buffer, from: number): string {
  const groups: string[] = [];
  for (let at = from; at < from + 16; at += 2) groups.push(header.readUInt16BE(at).toString(16));
  return groups.join(':');
}

function pathOf(header: Buffer, from: number): ProxyEndpoint {
  const bytes = header.subarray(from, from + UNIX_PATH_BYTES);
  const isAbstract = bytes[0] === 0 && bytes[1] !== 0;
  const end = bytes.indexOf(0, isAbstract ? 1 : 0);
  const path = bytes.toString('utf8', isAbstract ? 1 : 0, end === -1 ? undefined : end);
  return { family: 'unix', address: isAbstract ? `@${path}` : path, port: 0 };
}

/** Checks the TLVs from `start`, and the checksum if they have one. */
function wrongTlv(header: Buffer, start: number): 'length' | 'checksum' | undefined {
  let at = start;
  let hasChecksum = false;
  while (at < header.length) {
    if (at + 3 > header.length) return 'length';
    const value = at + 3;
    const end = value + header.readUInt16BE(at + 1);
    if (end > header.length) return 'length';
    if (header[at] === TYPE_CRC32C) {
      // A second checksum could not be right: each is computed over the other.
      if (hasChecksum || end - value !== 4) return 'checksum';
      hasChecksum = true;
      if (crc32c(header, value, end) !== header.readUInt32BE(value)) return 'checksum';
    }
    at = end;
  }
  return undefined;
}

/** The longest line of version 1, CRLF included. */
export const MAX_LINE_BYTES = 107;

/** Number without a leading zero, which another reader might read as octal. */
const NUMBER = /^(?:0|[1-9][0-9]{0,4})$/;

/** Reads a line of version 1 without its CRLF, proxy-protocol.txt 2.1. */
export function parseProxyLine(line: string, headerBytes: number): ProxyState {
  const [, protocol, ...parts] = line.split(' ');
  // Whatever follows UNKNOWN is ignored.
  if (protocol === 'UNKNOWN') return { kind: 'proxy', version: 1, command: 'proxy', headerBytes };
  if ((protocol !== 'TCP4' && protocol !== 'TCP6') || parts.length !== 4) return refuse('line');
  const [from, to, fromPort, toPort] = parts as [string, string, string, string];
  const family = protocol === 'TCP4' ? 'ipv4' : 'ipv6';
  if (!isAddress(family, from) || !isAddress(family, to)) return refuse('address');
  if (!isPort(fromPort) || !isPort(toPort)) return refuse('port');
  const source = endpointOf(family, from, Number(fromPort));
  const destination = endpointOf(family, to, Number(toPort));
  return { kind: 'proxy', version: 1, command: 'proxy', source, destination, headerBytes };
}

/** Returns an endpoint with its address in the one form that equal addresses share. */
function endpointOf(family: 'ipv4' | 'ipv6', address: string, port: number): ProxyEndpoint {
  if (family === 'ipv4') return { family, address, port };
  return { family, address: new SocketAddress({ family, address }).address, port };
}

function isAddress(family: 'ipv4' | 'ipv6', text: string): boolean {
  return family === 'ipv4' ? isIPv4(text) : isIPv6(text) && !text.includes('%');
}

function isPort(text: string): boolean {
  return NUMBER.test(text) && Number(text) <= 65_535;
}
