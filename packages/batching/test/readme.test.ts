import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const folder = new URL('node_modules/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);

// What the snippets call and a reader would have.
const given = `
const calls: string[] = [];
const fetchRate = async (from: string, to: string) => { calls.push(from + to); return 0.9; };
const fetchUser = async (id: number, signal: AbortSignal) => { calls.push(String(id)); return { id, aborted: signal.aborted }; };
const fetchNames = async (ids: readonly number[]) => { calls.push(ids.join()); return ids.map((id) => 'name ' + id); };
const buildReport = async (url: string, signal: AbortSignal | undefined) => { calls.push(url); return { url, aborted: signal?.aborted }; };
export { calls };
`;

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

async function run(index: number, exported: string) {
  const file = new URL(`snippet-${index}.ts`, folder);
  const snippet = snippets[index] ?? '';
  await writeFile(file, `${given}\n${snippet}\nexport { ${exported} };\n`);
  return import(file.href);
}

test('README: a wrapped function and a keyed loader', async () => {
  const { rates, user, calls } = await run(0, 'rates, user');
  expect(rates).toEqual([0.9, 0.9]);
  expect(user).toEqual({ id: 7, aborted: false });
  expect(calls).toEqual(['EURCHF', '7']);
});

test('README: a batch loader', async () => {
  const { one, two, calls } = await run(1, 'one, two');
  expect([one, two]).toEqual(['name 1', 'name 2']);
  expect(calls).toEqual(['1,2']);
});

test('README: a Fastify route', async () => {
  const { app, calls } = await run(2, 'app');
  const answers = await Promise.all([
    app.inject('/report/1'),
    app.inject('/report/1'),
    app.inject('/report/2'),
  ]);
  expect(answers.map((answer) => answer.json().url)).toEqual([
    '/report/1',
    '/report/1',
    '/report/2',
  ]);
  expect(calls).toEqual(['/report/1', '/report/2']);
  await app.close();
});

test('README begins with the sentence of the package, has every error code, and at most 120 lines', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const errors = await readFile(new URL('src/errors.ts', root), 'utf8');
  expect(readme.startsWith(`# @ticketing/batching\n\n${description}.\n`)).toBe(true);
  expect(
    (await readFile(new URL('src/index.ts', root), 'utf8')).startsWith(`// ${description}\n`),
  ).toBe(true);
  for (const [code] of errors.matchAll(/ERR_[A-Z_]+/g)) expect(readme).toContain(code);
  expect(readme.split('\n').length).toBeLessThanOrEqual(121);
  expect(snippets).toHaveLength(3);
});
