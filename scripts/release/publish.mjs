#!/usr/bin/env node
// Publishes by changesets. While it does, links of shipped pages that leave their package are addresses on the web, because a
// registry shows these pages without the rest of the repository. In the repository they stay paths, which work in a clone.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publishedPackages } from '../shared/packages.mjs';
import { shippedPages, withAddresses } from '../shared/repository.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const pages = publishedPackages().flatMap(({ folder, manifest: { files } }) =>
  shippedPages(folder, files).map((page) => {
    const path = join(folder, page);
    const text = readFileSync(path, 'utf8');
    return { path, text, linked: withAddresses(text, { root, folder, page, files }) };
  }),
);

// Ctrl-C ends the command that runs; the pages are as before in any case.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
try {
  for (const { path, linked } of pages) writeFileSync(path, linked);
  const changeset = join(root, 'node_modules/.bin/changeset');
  const { status } = spawnSync(changeset, ['publish'], { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  for (const { path, text } of pages) writeFileSync(path, text);
}
