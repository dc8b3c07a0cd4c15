import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { DispatchWrappersMessages } from '@ticketing/dispatch-wrappers';
import { documentedFields, type FieldsOf, fieldNames } from '@ticketing/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const folder = new URL('node_modules/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const reference = await readFile(
  new URL('../../docs/reference/dispatch-wrappers.md', root),
  'utf8',
);

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

test('README: a call through both wrappers, which close what they wrap', async () => {
  const [, snippet = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  await writeFile(
    new URL('main.ts', folder),
    `${snippet}\nexport const states = [far, local].map(({ state }) => state);\nexport { four };\n`,
  );
  const main = await import(new URL('main.ts', folder).href);
  expect(main).toMatchObject({ four: 4, states: ['closed', 'closed'] });
});

test('README begins with the sentence of the package, and has at most 900 words', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const index = await readFile(new URL('src/index.ts', root), 'utf8');
  expect(readme.startsWith(`# @ticketing/dispatch-wrappers\n\n${description}.\n`)).toBe(true);
  expect(index.startsWith(`// ${description}\n`)).toBe(true);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

test('the reference has each option, figure of stats(), channel and code', async () => {
  const source = async (file: string): Promise<string> => readFile(new URL(file, root), 'utf8');
  const options = ['src/with-fallback.ts', 'src/with-hedge.ts', 'src/hedges.ts'];
  const sources = await Promise.all([...options, 'src/fallback-calls.ts'].map(source));
  const texts = [...sources, await source('src/hedged-call.ts')].join('\n');
  const interfaces = texts.matchAll(/export interface \w+(?:Options|Stats) \{([\s\S]*?)\n\}/g);
  const names = [...interfaces].flatMap(([, members = '']) =>
    [...members.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name]) => name),
  );
  expect(names).toHaveLength(12);
  for (const name of names) expect(reference).toMatch(new RegExp(`\`(\\w+\\.)?${name}\``));
  for (const [, name] of texts.matchAll(/wrappersChannel\('([^']+)'\)/g))
    expect(reference).toContain(name);
  for (const code of ['ERR_QUEUE_FULL', 'ERR_TIMEOUT', 'ERR_QUEUE_TIMEOUT', 'ERR_CLOSED']) {
    expect(reference).toContain(code);
  }
});

test('the reference has the fields of each message, and no others', () => {
  const fields: FieldsOf<DispatchWrappersMessages> = {
    'ticketing:dispatch:fallback': { name: true, task: true, error: true, inFlight: true },
    'ticketing:dispatch:hedge': { name: true, task: true, workerId: true, won: true },
  };
  expect(documentedFields(reference)).toEqual(fieldNames(fields));
});
