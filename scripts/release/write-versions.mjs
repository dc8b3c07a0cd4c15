#!/usr/bin/env node
// Writes the versions of our packages where `changeset version` does not: into the examples, which are no members of the
// workspace, and into what carriers are told of who asks them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

const carriers = publishedPackages().find(({ name }) => name === '@ticketing/carriers');
const endpoint = join(carriers.folder, 'src/wire/endpoint.ts');
const source = readFileSync(endpoint, 'utf8');
const told = source.replace(
  /(USER_AGENT = 'ticketing-carriers\/)[^']+/,
  `$1${carriers.manifest.version}`,
);
if (!told.includes(`ticketing-carriers/${carriers.manifest.version}'`)) {
  throw new Error(`Cannot write the version: ${endpoint} has no USER_AGENT`);
}
writeFileSync(endpoint, told);
