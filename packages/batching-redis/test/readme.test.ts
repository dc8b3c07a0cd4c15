import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { engineUrl } from '@ticketing/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const folder = new URL('node_modules/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const reference = await readFile(new URL('../../docs/reference/batching-redis.md', root), 'utf8');
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

test('reference: shared loads are forgotten by a tag', async () => {
  const file = new URL('tags.ts', folder);
  const given = `
import { createCoalescer } from '@ticketing/batching';
import { createMemoryCoordinator, shareLoads } from '@ticketing/batching/shared';
const calls: number[] = [];
const fetchUser = async (id: number, _signal: AbortSignal) => { calls.push(id); return { id }; };
const coordinator = createMemoryCoordinator();
`;
  const snippet = /```ts\n([\s\S]*?)```/.exec(reference)?.[1] ?? '';
  await writeFile(file, `${given}${snippet}\nexport { users, load, calls, coordinator };\n`);
  const { users, load, calls, coordinator } = await import(file.href);
  await users.get(7);
  await users.get(7);
  expect(calls).toEqual([7, 7]);
  await load.forgetTag('users');
  await users.get(7);
  expect(calls).toEqual([7, 7, 7]);
  expect(load.stats()).toMatchObject({ kept: 1, outdated: 2, forgottenTags: 2 });
  await coordinator.close();
});

test('the reference has every option and error of shared loads', async () => {
  const names = ['tags', 'ttlMs', 'errorTtlMs', 'codec', 'leaseMs', 'maxBytes', 'refresh'];
  for (const name of names) expect(reference).toMatch(new RegExp(`^\\| .*\`${name}\``, 'm'));
  for (const code of ['ERR_NOT_FORGOTTEN', 'ERR_LEASE_LOST']) expect(reference).toContain(code);
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
