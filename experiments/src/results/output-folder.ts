import { copyFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where a look is written: a copy of the README in a folder of its own, so that what is published stays. */
export function lookFolder(name: string, readme: URL): URL {
  const path = join(tmpdir(), 'experiments-quick', name);
  mkdirSync(path, { recursive: true });
  copyFileSync(readme, join(path, 'README.md'));
  return pathToFileURL(`${path}/`);
}
