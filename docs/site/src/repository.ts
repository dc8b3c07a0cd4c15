import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Root of the repository, with a slash at its end. */
export const root: string = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Returns the address of the repository on the web, as the manifest at the root has it in `repository.url`; `undefined` while
 * that is a placeholder below `.invalid`, a domain that never exists (RFC 2606).
 */
export function repositoryAddress(): string | undefined {
  const address = declaredAddress();
  return new URL(address).hostname.endsWith('.invalid') ? undefined : address;
}

/** Returns `repository.url` of the manifest as an address of pages, placeholder or not. */
export function declaredAddress(): string {
  const { repository } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
}
