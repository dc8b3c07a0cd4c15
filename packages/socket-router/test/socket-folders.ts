import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Folders for unix sockets that routers of this file of tests have made, and not removed. */
export function socketFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('router-'));
}
