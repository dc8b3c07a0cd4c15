import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { faultKinds } from '../src/server/fault.ts';

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const snippets = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '');

test('README.md has its snippets', () => {
  expect(snippets).toHaveLength(2);
  expect(snippets.every((code) => code.includes('assert.'))).toBe(true);
});

test.each(snippets)('README.md snippet %# runs and its assertions hold', async (code) => {
  const folder = await mkdtemp(join(import.meta.dirname, '.readme-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'snippet.ts');
  await writeFile(file, code.replaceAll('@ticketing/carrier-sim', '../../src/index.ts'));
  await import(/* @vite-ignore */ pathToFileURL(file).href);
});

test('README.md starts with the description of package.json, which stands atop src/index.ts too', async () => {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const index = await readFile(new URL('../src/index.ts', import.meta.url), 'utf8');
  const { description } = JSON.parse(manifest) as { description: string };
  expect(readme.split('\n')[2]).toBe(`${description}.`);
  expect(index.split('\n')[0]).toBe(`// ${description}`);
});

test('README.md names every error code and fault of the source', async () => {
  const read = (name: string) => readFile(new URL(`../src/${name}`, import.meta.url), 'utf8');
  const sources = await Promise.all(
    ['errors.ts', 'server/control-routes.ts', 'server/own-carriers.ts'].map(read),
  );
  const codes = [...sources.join().matchAll(/'(ERR_\w+)'/g)].map(([, code]) => code);
  expect(new Set(codes).size).toBe(4);
  for (const name of [...codes, ...faultKinds]) expect(readme).toContain(`\n| \`${name}\` `);
});
