import type { Socket } from 'node:net';
import { open } from './clients.ts';

/** Returns the pattern of an answer of the router itself with this status. */
export const status = (code: number): RegExp =>
  new RegExp(
    `^HTTP/1\\.1 ${code} [^\\r]+\\r\\nConnection: close\\r\\n${code === 503 ? 'Retry-After: 1\\r\\n' : ''}Content-Type: application/problem\\+json\\r\\nContent-Length: \\d+\\r\\n\\r\\n\\{.*"status":${code}\\}$`,
  );

/** A hundred connections whose heads do not end. */
export async function openSlow(port: number): Promise<Socket[]> {
  const slow = await Promise.all(Array.from({ length: 100 }, () => open(port)));
  for (const socket of slow) socket.write('GET / HTTP/1.1\r\nHost: a\r\nX-');
  return slow;
}
