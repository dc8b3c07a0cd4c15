#!/usr/bin/env node
// Lists the measured tables of all pages that are older than the code they measure: `stale-tables.mjs [--strict]`. A table is named by its
// date and command; its code is the package that has the command, and the packages of the workspace it depends on. Needs the
// history of the repository.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { codeOf, tablesOf } from './shared/measured-tables.mjs';

const { values } = parseArgs({ options: { strict: { type: 'boolean', default: false } } });
const root = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

const pages = git('ls-files', '*.md').trim().split('\n');
const manifests = new Map(
  git('ls-files', '*package.json')
    .trim()
    .split('\n')
    .map((path) => [path, JSON.parse(readFileSync(join(root, path), 'utf8'))]),
);
const changes = new Map();
/** Day of the last commit that touched a folder's sources. */
const changedOn = (folder) => {
  if (!changes.has(folder)) {
    changes.set(folder, git('log', '-1', '--format=%cs', '--', `${folder}/src`).trim());
  }
  return changes.get(folder);
};

let stale = 0;
for (const page of pages) {
  for (const { date, command } of tablesOf(readFileSync(join(root, page), 'utf8'))) {
    const newer = codeOf(command, manifests)
      .map((folder) => ({ folder, day: changedOn(folder) }))
      .filter(({ day }) => day > date);
    if (newer.length === 0) continue;
    stale += 1;
    const [last] = newer.toSorted((a, b) => (a.day < b.day ? 1 : -1));
    console.log(`${page}: ${date}, \`${command}\`: ${last.folder} is of ${last.day}`);
  }
}
console.log(`${stale} stale tables`);
if (values.strict && stale > 0) process.exitCode = 1;
