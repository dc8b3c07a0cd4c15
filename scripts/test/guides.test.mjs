import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { settingsOf, stepsOf } from '../shared/guide.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pagesOf = (folder) =>
  globSync(`docs/${folder}/*.md`, { cwd: root })
    .map((path) => ({ name: basename(path, '.md'), text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ name }) => name !== 'index');

test.each(['guides', 'migrating'])('docs/%s/index.md lists each page once', (folder) => {
  const index = readFileSync(join(root, 'docs', folder, 'index.md'), 'utf8');
  const listed = [...index.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => name);
  expect(listed).toEqual([...new Set(listed)]);
  const names = pagesOf(folder).map(({ name }) => name);
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
});

test('each guide but the indexes runs, and has commands', () => {
  const pages = ['guides', 'migrating'].flatMap(pagesOf);
  expect(pages.length).toBeGreaterThan(0);
  const idle = pages.filter(
    ({ text }) =>
      settingsOf(text) === undefined || !stepsOf(text).some(({ kind }) => kind === 'commands'),
  );
  expect(idle.map(({ name }) => name)).toEqual([]);
});
