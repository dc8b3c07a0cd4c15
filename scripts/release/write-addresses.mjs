#!/usr/bin/env node
// Writes `repository`, `homepage` and `bugs` of each published package, by `repository` in the manifest at the root: an address
// that changes is changed there alone.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publishedPackages } from '../shared/packages.mjs';
import { addressesOf } from '../shared/repository.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
for (const { folder } of publishedPackages()) {
  const path = join(folder, 'package.json');
  const manifest = { ...JSON.parse(readFileSync(path, 'utf8')), ...addressesOf(root, folder) };
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}
