import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Admission } from '../src/index.ts';

const root = new URL('../', import.meta.url);
const folder = new URL('node_modules/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const reference = await readFile(new URL('../../docs/reference/admission.md', root), 'utf8');
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

async function run<T>(index: number, names: string): Promise<T> {
  const file = new URL(`main-${index}.ts`, folder);
  const text = snippets[index]?.replace('listen(3000)', 'listen(0)');
  await writeFile(file, `${text}\nexport { ${names} };\n`);
  return (await import(file.href)) as T;
}

test('README: a server of node:http whose requests wait for their admission', async () => {
  const { server, admission } = await run<{ server: Server; admission: Admission }>(
    0,
    'server, admission',
  );
  if (!server.listening) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const path of ['/health', '/trains']) {
    expect(await (await fetch(`http://127.0.0.1:${port}${path}`)).text()).toBe('found');
  }
  expect(admission.stats()).toMatchObject({ admitted: 1, refused: { busy: 0, late: 0 } });
  server.close();
  server.closeAllConnections();
});

test('README: routes of Fastify', async () => {
  const { app } = await run<{ app: FastifyInstance }>(1, 'app');
  expect((await app.inject('/health')).body).toBe('ok');
  expect((await app.inject('/trains')).body).toBe('found');
  await app.close();
});

test('README: signs of a dispatcher and of upstreams', async () => {
  const { admission } = await run<{ admission: Admission }>(2, 'admission');
  expect(admission.stats().limit).toBe(16);
  admission.close();
});

test('README begins with the sentence of the package, and has at most 900 words', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const index = await readFile(new URL('src/index.ts', root), 'utf8');
  expect(readme.startsWith(`# @ticketing/admission\n\n${description}.\n`)).toBe(true);
  expect(index.startsWith(`// ${description}\n`)).toBe(true);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

test('the reference has each option, member, sign, counter and code', async () => {
  const files = ['admission', 'applicant-queue', 'in-flight-limit', 'http/admit-requests'];
  const texts = await Promise.all(
    [...files, 'fastify/admit-routes', 'http/send-refusal'].map((file) =>
      readFile(new URL(`src/${file}.ts`, root), 'utf8'),
    ),
  );
  const text = texts.join('\n');
  const interfaces = text.matchAll(
    /export interface (?:Admission|Signs|RouteAdmission|\w+(?:Options|Stats)) \{([\s\S]*?)\n\}/g,
  );
  const names = [...interfaces]
    .flatMap(([, members = '']) => [...members.matchAll(/^ {2}(?:readonly )?(\w+)[?:(]/gm)])
    .map(([, name]) => name)
    .filter((name) => !['limit', 'now', 'isLate', 'soon', 'settled'].includes(name ?? ''));
  expect(names.length).toBeGreaterThan(25);
  for (const name of names) expect(reference).toMatch(new RegExp(`\`(?:\\{ )?${name}\\b`));
  const codes = [...text.matchAll(/'(ERR_\w+)'/g)].map(([, code = '']) => code);
  expect(codes).toHaveLength(2);
  for (const code of codes) expect(reference).toContain(code);
});
