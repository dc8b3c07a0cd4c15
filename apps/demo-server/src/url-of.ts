import type { AddressInfo } from 'node:net';
import type { Flags } from './flags/flags.ts';

/** How clients of this machine reach a server. */
export function urlOf({ tlsCert }: Flags, { address, family, port }: AddressInfo): string {
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `${tlsCert === undefined ? 'http' : 'https'}://${host}:${port}`;
}
