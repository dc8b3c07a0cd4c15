import { FlagError } from '../flags/flag-values.ts';
import { hideSecrets } from '../flags/hide-secrets.ts';

/** Says in one line, and without secrets, why a database cannot be used. */
export function databaseRefused(error: unknown, url: string): FlagError {
  const reason = reasonOf(error).replaceAll(url, hideSecrets(url)).replace(/\s+/g, ' ').trim();
  const shown = secretsOf(url).reduce((text, secret) => text.replaceAll(secret, '…'), reason);
  return new FlagError(
    `Cannot start: --database-url must be a database that can be filled, got ${shown}`,
  );
}

/** A host with several addresses fails with an error for each of them, and with no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const { message, code, name } = error as Error & { code?: unknown };
  return message || String(code ?? name);
}

/** The password as it is written, and as it is meant. */
function secretsOf(url: string): string[] {
  const [, written] = /^[^:]+:\/\/[^:/]*:(.*)@/s.exec(url) ?? [];
  if (!written) return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}
