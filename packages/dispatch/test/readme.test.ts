import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const folder = new URL('node_modules/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const [tasks = '', main = ''] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, snippet = '']) => snippet,
);

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

test('README: the tasks and a program that runs one', async () => {
  await writeFile(new URL('tasks.ts', folder), tasks);
  await writeFile(new URL('main.ts', folder), `${main}\nexport { dispatcher, width };\n`);
  const { dispatcher, width } = await import(new URL('main.ts', folder).href);
  expect(width).toBe(320);
  expect(dispatcher.state).toBe('closed');
});

test('README begins with the sentence of the package, has every error code, and at most 120 lines', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const errors = await readFile(new URL('src/errors.ts', root), 'utf8');
  const index = await readFile(new URL('src/index.ts', root), 'utf8');
  expect(readme.startsWith(`# @ticketing/dispatch\n\n${description}.\n`)).toBe(true);
  expect(index.startsWith(`// ${description}\n`)).toBe(true);
  for (const [code] of errors.matchAll(/ERR_[A-Z_]+/g)) expect(readme).toContain(code);
  expect(readme.split('\n').length).toBeLessThanOrEqual(121);
});
