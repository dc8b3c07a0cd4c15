import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as carriers from '../src/index.ts';
import { USER_AGENT } from '../src/wire/endpoint.ts';
import { createCarriers } from './upstream.ts';

const source = new URL('../src/', import.meta.url);
const folders = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => readdirSync(new URL(`${name}/`, source)).includes(`create-${name}.ts`));

test('every folder with an adapter is exported and documented', () => {
  expect(folders.length).toBeGreaterThanOrEqual(3);
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  for (const folder of folders) {
    const name = `create${folder[0]?.toUpperCase()}${folder.slice(1)}`;
    expect(carriers, 'src/index.ts').toHaveProperty(name);
    expect(readme, 'README.md').toContain(name);
  }
});

test('every adapter is named after its folder, and tested', () => {
  const tested = createCarriers('http://127.0.0.1:1');
  expect(Object.keys(tested).sort()).toEqual(folders);
  for (const [folder, { id }] of Object.entries(tested)) expect(id).toBe(folder);
});

test('no source reads a text of a server by Date.parse, but the one that checks its form', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const readers = files.filter(
    (file) =>
      file.endsWith('.ts') &&
      /\bDate\.parse\(|new Date\((?!ms|midnight|nowMs)/.test(
        readFileSync(new URL(file, source), 'utf8').replaceAll(/^ *(?:\/?\*|\/\/).*$/gm, ''),
      ),
  );
  expect(readers).toEqual(['wire/wire-instant.ts']);
});

test('the user agent names the version of this package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(USER_AGENT).toBe(`ticketing-carriers/${version}`);
});
