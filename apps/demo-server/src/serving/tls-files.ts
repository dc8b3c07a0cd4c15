import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Flags } from '../flags/flag-specs.ts';
import { FlagError } from '../flags/flag-values.ts';

/** What a server of HTTPS is made of. */
export interface TlsSettings {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads the certificate and its key, if the flags name them. Each serving process reads its own: a reload takes new ones.
 *
 * @throws FlagError if they cannot be read, or do not belong together
 */
export function readTls({ tlsCert, tlsKey }: Flags): TlsSettings | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  try {
    const tls = { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) };
    createSecureContext(tls);
    return tls;
  } catch (error) {
    const { message } = error as Error;
    throw new FlagError(
      `Cannot start: --tls-cert and --tls-key must be a certificate and its key, got ${message}`,
    );
  }
}
