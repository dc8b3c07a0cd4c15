import type { IncomingMessage } from 'node:http';
import type { Head, ProxiedAddresses } from '../../contract/head.ts';

/** Returns what a route function sees of a request that Node has parsed. */
export function headOfRequest(
  request: IncomingMessage,
  remoteAddress: string | undefined,
  proxy?: ProxiedAddresses,
): Head {
  return {
    kind: 'http1',
    method: request.method ?? '',
    target: request.url ?? '',
    header: (name) => {
      const key = name.toLowerCase();
      if (!Object.hasOwn(request.headers, key)) return undefined;
      const value = request.headers[key];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    remoteAddress,
    ...(proxy && { proxy }),
  };
}
