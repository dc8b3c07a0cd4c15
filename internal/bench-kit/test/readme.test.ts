import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8');
const readme = await read('README.md');

test('README.md has a snippet that runs and whose assertions hold', async () => {
  const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  expect(code).toContain('assert.');
  const folder = await mkdtemp(join(import.meta.dirname, '.readme-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'snippet.ts');
  await writeFile(file, code.replaceAll('@ticketing/bench-kit', '../../src/index.ts'));
  await import(/* @vite-ignore */ pathToFileURL(file).href);
});

test('README.md starts with the description of package.json, which stands atop src/index.ts too', async () => {
  const { description } = JSON.parse(await read('package.json')) as { description: string };
  expect(readme.split('\n')[2]).toBe(`${description}.`);
  expect((await read('src/index.ts')).startsWith(`// ${description}.\n`)).toBe(true);
});
