import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { EMISSION_FACTORS, JOURNEY_ORDERS } from '../src/index.ts';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');
const readme = await read('README.md');
const reference = await read('../../docs/reference/core.md');
const snippets = [readme, reference].flatMap((page) =>
  [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? ''),
);
const folder = new URL('node_modules/.readme/', root);

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the README and the reference have a snippet each, and each asserts something', () => {
  expect(snippets).toHaveLength(2);
  for (const code of snippets) expect(code).toContain('assert.');
});

test.each(snippets.map((code, index) => [index, code] as const))(
  'snippet %i runs and its assertions hold',
  async (index, code) => {
    await mkdir(folder, { recursive: true });
    const file = new URL(`snippet-${index}.ts`, folder);
    await writeFile(file, `${code}export const done = true;\n`);
    expect(await import(/* @vite-ignore */ pathToFileURL(file.pathname).href)).toMatchObject({
      done: true,
    });
  },
);

test('README begins with the sentence of the package, and has at most 900 words', async () => {
  const { description } = JSON.parse(await read('package.json'));
  expect(readme.startsWith(`# @ticketing/core\n\n${description}.\n`)).toBe(true);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
  expect((await read('src/index.ts')).startsWith(`// ${description}.\n`)).toBe(true);
});

test.each([
  ['scatter/scatter-options.ts', 'ScatterOptions'],
  ['scatter/scatter-options.ts', 'ScatterCallOptions'],
  ['scatter/scatter-result.ts', 'ScatterStats'],
  ['scatter/source-status.ts', 'CallStats'],
  ['search/search-options.ts', 'SearchOptions'],
  ['search/search-options.ts', 'SearchCallOptions'],
  ['search/search-result.ts', 'SearchResult'],
  ['contract/search-query.ts', 'SearchQuery'],
  ['split/combine-journeys.ts', 'CombineOptions'],
  ['split/hubs.ts', 'Hub'],
  ['contract/carrier.ts', 'CarrierCapabilities'],
])('the reference has a row for every member of %s, %s', async (file, name) => {
  const source = await read(`src/${file}`);
  const [, body = ''] = source.split(new RegExp(`export interface ${name}\\b`));
  const members = [...(body.split('\n}')[0] ?? '').matchAll(/^ {2}readonly (\w+)/gm)];
  expect(members.length).toBeGreaterThan(2);
  for (const [, member] of members) {
    expect(reference).toMatch(new RegExp(`^\\| \`${member}\` .*\\|`, 'm'));
  }
});

test('the reference has every field of rates, and the factors of emissions as they are', async () => {
  const [, rates = ''] = (await read('src/prices/rate-source.ts')).split(
    'export interface RateSource',
  );
  const fields = [...(rates.split('\n}')[0] ?? '').matchAll(/^ {2}readonly (\w+)/gm)];
  expect(fields).toHaveLength(5);
  for (const [, field] of fields)
    expect(reference).toMatch(new RegExp(`^\\| \`${field}\` .*\\|`, 'm'));
  const { gramsPerKm, year } = EMISSION_FACTORS;
  expect(reference).toContain(`Net Zero of ${year}`);
  for (const [mode, grams] of Object.entries(gramsPerKm)) {
    expect(reference).toMatch(new RegExp(`^\\| \`${mode}\` +\\| ${grams} `, 'm'));
  }
});

test('the reference has every field of a status, every order and every channel', async () => {
  const [, status = ''] = (await read('src/search/search-result.ts')).split(
    'export interface CarrierStatus',
  );
  for (const [, member] of (status.split('\n}')[0] ?? '').matchAll(/^ {2}readonly (\w+)/gm)) {
    expect(reference).toMatch(
      new RegExp(`^(?:\\| \`${member}\`|.*\\{.*\\b${member}\\b.*\\})`, 'm'),
    );
  }
  for (const order of JOURNEY_ORDERS) expect(reference).toContain(`| \`${order}\` `);
  const faces = await Promise.all(
    ['search/carrier-face.ts', 'scatter/source-face.ts'].map((file) => read(`src/${file}`)),
  );
  const channels = [...faces.join().matchAll(/\*\/ (channel|traceChannel)\('([\w:-]+)'\)/g)];
  expect(channels).toHaveLength(8);
  for (const [, kind, name] of channels) {
    expect(reference).toContain(`\n| \`${kind === 'channel' ? name : `tracing:${name}`}\` `);
  }
});
