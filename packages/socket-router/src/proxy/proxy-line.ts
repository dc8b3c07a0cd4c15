import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { type ProxyEndpoint, type ProxyState, refuseProxy } from './proxy-state.ts';

/** The longest line of version 1, CRLF included. */
export const MAX_LINE_BYTES = 107;

/** No zero in front, which another reader might take for octal. */
const NUMBER = /^(?:0|[1-9][0-9]{0,4})$/;

/** Reads a line of version 1 without its CRLF, proxy-protocol.txt 2.1. */
export function parseProxyLine(line: string, headerBytes: number): ProxyState {
  const [, protocol, ...parts] = line.split(' ');
  // Behind UNKNOWN anything may stand, and is to be ignored.
  if (protocol === 'UNKNOWN') return { kind: 'proxy', version: 1, command: 'proxy', headerBytes };
  if ((protocol !== 'TCP4' && protocol !== 'TCP6') || parts.length !== 4)
    return refuseProxy('line');
  const [from, to, fromPort, toPort] = parts as [string, string, string, string];
  const family = protocol === 'TCP4' ? 'ipv4' : 'ipv6';
  if (!isAddress(family, from) || !isAddress(family, to)) return refuseProxy('address');
  if (!isPort(fromPort) || !isPort(toPort)) return refuseProxy('port');
  const source = endpointOf(family, from, Number(fromPort));
  const destination = endpointOf(family, to, Number(toPort));
  return { kind: 'proxy', version: 1, command: 'proxy', source, destination, headerBytes };
}

/** An endpoint with its address in the one form that equal addresses share. */
export function endpointOf(family: 'ipv4' | 'ipv6', address: string, port: number): ProxyEndpoint {
  if (family === 'ipv4') return { family, address, port };
  return { family, address: new SocketAddress({ family, address }).address, port };
}

function isAddress(family: 'ipv4' | 'ipv6', text: string): boolean {
  return family === 'ipv4' ? isIPv4(text) : isIPv6(text) && !text.includes('%');
}

function isPort(text: string): boolean {
  return NUMBER.test(text) && Number(text) <= 65_535;
}
