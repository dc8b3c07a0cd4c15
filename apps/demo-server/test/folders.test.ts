import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));

/** Folders of the sources, each with the folders that its files import from, types included. */
function importedFolders(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const from = dirname(file);
    const imported = folders.get(from) ?? new Set();
    folders.set(from, imported);
    const text = readFileSync(join(SOURCES, file), 'utf8');
    for (const [, target = ''] of text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      imported.add(relative(SOURCES, dirname(resolve(SOURCES, from, target))) || '.');
    }
    imported.delete(from);
  }
  return folders;
}

const folders = importedFolders();

test('no folder of the sources imports itself by way of others', () => {
  expect(folders.size).toBeGreaterThan(10);
  const reached = (from: string, seen = new Set<string>()): Set<string> => {
    for (const to of folders.get(from) ?? []) if (!seen.has(to)) reached(to, seen.add(to));
    return seen;
  };
  const circles = [...folders.keys()].filter((folder) => reached(folder).has(folder));
  expect(circles).toEqual([]);
});

test('only the programs and what starts processes import the folder that composes them', () => {
  const importers = (of: string) => [...folders].flatMap(([from, to]) => (to.has(of) ? from : []));
  expect(importers('.')).toEqual([]);
  expect(importers('compose').sort()).toEqual(['.', 'fleet', 'serving']);
});
