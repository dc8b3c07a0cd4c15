import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

test('README begins with the sentence of the package, and has at most 900 words', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const index = await readFile(new URL('src/index.ts', root), 'utf8');
  expect(readme.startsWith(`# @ticketing/dispatch\n\n${description}.\n`)).toBe(true);
  expect(index.startsWith(`// ${description}\n`)).toBe(true);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

test('the reference has each option, channel and error code', async () => {
  const read = (file: string) => readFile(new URL(file, root), 'utf8');
  const reference = await read('../../docs/reference/dispatch.md');
  const sources = await Promise.all(
    (await readdir(new URL('src/', root), { recursive: true }))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => read(`src/${file}`)),
  );
  const text = sources.join('\n');
  const kinds = 'Run|Stream|Map|Broadcast|Capacity|Reload|Drain|Close|Pool';
  const options = [
    ...text.matchAll(new RegExp(`^export interface (?:${kinds})Options[^{]*{(.*?)\n}`, 'gms')),
  ];
  const names = options.flatMap(([, members = '']) => [
    ...members.matchAll(/^ {2,4}readonly (\w+)/gm),
  ]);
  expect(names.length).toBeGreaterThan(40);
  const channels = [...text.matchAll(/hannel\('(ticketing:[\w:-]+)'\)/g)];
  expect(channels.length).toBeGreaterThan(5);
  const codes = [...(await read('src/errors.ts')).matchAll(/(ERR_[A-Z_]+)/g)];
  const missing = [...names, ...codes].filter(
    ([, name]) => !new RegExp(`[.\`]${name}\``).test(reference),
  );
  expect(missing.map(([, name]) => name)).toEqual([]);
  for (const [, name] of channels) expect(reference).toContain(name);
});
