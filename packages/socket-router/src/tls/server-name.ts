import { isIP } from 'node:net';
import { type RefusedClientHello, refuseHello } from './client-hello-state.ts';
import type { VectorReader } from './vector-reader.ts';

const HOST_NAME = 0;
const MAX_NAME_LENGTH = 253;
/** Letters, digits, hyphens, and the underscore that names in use have; no dot at the end. */
const NAME =
  /^[0-9a-z_](?:[0-9a-z_-]{0,61}[0-9a-z_])?(?:\.[0-9a-z_](?:[0-9a-z_-]{0,61}[0-9a-z_])?)*$/;

/**
 * Reads the extension `server_name`, RFC 6066 3: one name, of the one type that exists. An address in
 * its place is no name.
 */
export function readServerName(extension: VectorReader): string | undefined | RefusedClientHello {
  const list = extension.vector(extension.uint16());
  const type = list.uint8();
  const name = list.text(list.uint16()).toLowerCase();
  const isWhole = !extension.failed && !list.failed && extension.remaining + list.remaining === 0;
  if (!isWhole || type !== HOST_NAME) return refuseHello('server-name');
  if (name.length <= MAX_NAME_LENGTH && NAME.test(name)) return isIP(name) ? undefined : name;
  return isIP(name) ? undefined : refuseHello('server-name');
}
