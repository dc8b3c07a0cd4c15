import { createHash } from 'node:crypto';
import type { HafasChecksum } from './hafas-profile.ts';

/**
 * Returns the query of a request's URL, which proves that the sender knows the salt.
 *
 * @param body the exact text that is sent
 */
export function checksumQuery(body: string, checksum: HafasChecksum): string {
  switch (checksum.kind) {
    case 'none':
      return '';
    case 'checksum':
      return `?checksum=${md5(Buffer.concat([Buffer.from(body), saltOf(checksum.salt)]))}`;
    case 'mic-mac': {
      const mic = md5(Buffer.from(body));
      const mac = md5(Buffer.concat([Buffer.from(mic), saltOf(checksum.salt)]));
      return `?mic=${mic}&mac=${mac}`;
    }
  }
}

function saltOf(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
