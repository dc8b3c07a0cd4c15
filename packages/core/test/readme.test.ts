import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const readme = await readFile(new URL('README.md', root), 'utf8');
const snippets = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '');

test('README.md has its snippets, and each one asserts something', () => {
  expect(snippets).toHaveLength(2);
  for (const code of snippets) expect(code).toContain('assert.');
});

test.each(snippets.map((code, index) => [index, code] as const))(
  'README.md snippet %i runs and its assertions hold',
  async (index, code) => {
    const folder = new URL('node_modules/.readme/', root);
    await mkdir(folder, { recursive: true });
    const file = new URL(`snippet-${index}.ts`, folder);
    await writeFile(file, `${code}export const done = true;\n`);
    expect(await import(/* @vite-ignore */ pathToFileURL(file.pathname).href)).toMatchObject({
      done: true,
    });
  },
);

test('README.md starts with the sentence of the package and has at most 120 lines', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  expect(readme.startsWith(`# @ticketing/core\n\n${description}.\n`)).toBe(true);
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  const index = await readFile(new URL('src/index.ts', root), 'utf8');
  expect(index.startsWith(`// ${description}.\n`)).toBe(true);
});
