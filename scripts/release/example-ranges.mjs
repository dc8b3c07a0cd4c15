#!/usr/bin/env node
// Writes the versions of our packages into the examples, which are no members of the workspace: `changeset version` has
// passed them over.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exampleNames } from '../shared/example-projects.mjs';
import { publishedPackages } from '../shared/packages.mjs';

for (const name of exampleNames()) {
  const path = fileURLToPath(new URL(`../../examples/${name}/package.json`, import.meta.url));
  let text = readFileSync(path, 'utf8');
  for (const { name: dependency, manifest } of publishedPackages()) {
    text = text.replace(new RegExp(`("${dependency}": )"[^"]+"`, 'g'), `$1"^${manifest.version}"`);
  }
  writeFileSync(path, text);
}
