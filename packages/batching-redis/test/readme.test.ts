import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { engineUrl } from '@ticketing/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const folder = new URL('node_modules/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
const url = engineUrl('redis');

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

test.skipIf(url === undefined)('README: a load that processes share', async () => {
  const file = new URL('snippet.ts', folder);
  const given = `const fetchUser = async (id: number, signal: AbortSignal) => ({ id, aborted: signal.aborted });\n`;
  const snippet = (snippets[0] ?? '').replace('redis://127.0.0.1:6379', String(url));
  await writeFile(file, `${given}${snippet}\nexport { user, users, coordinator, client };\n`);
  const { user, users, coordinator, client } = await import(file.href);
  expect(user).toEqual({ id: 7, aborted: false });
  expect(await users.get(7)).toEqual(user);
  await coordinator.close();
  client.disconnect();
});

test('README begins with the sentence of the package, warns on its first screen, and is read in a few minutes', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const index = await readFile(new URL('src/index.ts', root), 'utf8');
  expect(readme.startsWith(`# @ticketing/batching-redis\n\n${description}.\n`)).toBe(true);
  expect(index.startsWith(`// ${description}\n`)).toBe(true);
  expect(readme.split('\n').findIndex((line) => line.includes('Leases are no locks'))).toBeLessThan(
    30,
  );
  expect(readme).toContain('npm install @ticketing/batching @ticketing/batching-redis iovalkey`');
  expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(900);
  const lines = readme.split('\n').filter((line) => !line.startsWith('|'));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(300);
  expect(snippets).toHaveLength(1);
});
