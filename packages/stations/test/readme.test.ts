import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { attribution } from '../src/index.ts';
import { COMPUTED_SYSTEMS, STORED_SYSTEMS } from '../src/table/code-systems.ts';
import { book, table } from './book.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const reference = readFileSync(
  new URL('../../../docs/reference/stations.md', import.meta.url),
  'utf8',
);
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
const folder = new URL('../node_modules/.readme/', import.meta.url);

test('README: the values of the first snippet are those in its comments', async () => {
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = new URL('suggest.ts', folder);
  const source = snippets[0]?.replaceAll("'@ticketing/stations'", "'../../src/index.ts'");
  writeFileSync(file, `${source}\nexport { around, code, credit, first, members, munich };\n`);
  const { around, code, credit, first, members, munich } = await import(file.href);
  expect(first).toMatchObject({ id: 'city:es:barcelona', label: 'Barcelona (all stations)' });
  expect(members[0].name).toBe('Barcelona Sants');
  expect(munich).toMatchObject({ name: 'München Hbf', id: 'uic:8020347' });
  expect(code).toBe('830001700');
  expect(around[0].station.id).toBe('uic:7160000');
  expect(credit).toContain('ODbL');
});

test('README: every snippet is one that a test here runs', () => {
  expect(snippets).toHaveLength(1);
});

test('README begins with the sentence of the package, and has at most 900 words', () => {
  const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const { description } = JSON.parse(read('package.json'));
  expect(readme.startsWith(`# @ticketing/stations\n\n${description}.\n`)).toBe(true);
  expect(read('src/index.ts').startsWith(`// ${description}\n`)).toBe(true);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

test('the reference has every system of codes, in the order in which an id is made of them', () => {
  const [, chapter = ''] = /## Systems of codes\n(.*?)\n## /s.exec(reference) ?? [];
  const rows = [...chapter.matchAll(/^\| `(\w+)` /gm)].map(([, system]) => system);
  expect(rows).toEqual([...STORED_SYSTEMS, ...Object.keys(COMPUTED_SYSTEMS)]);
  expect(readme).toContain(`${rows.length} systems of codes`);
});

test.each([
  ['open-stations', 'OpenStationsOptions'],
  ['station-book', 'SuggestOptions'],
  ['station-book', 'NearOptions'],
  ['station-book', 'StationBook'],
  ['station-book', 'Suggestion'],
])('the reference has a row for every member of %s, %s', (file, name) => {
  const source = readFileSync(new URL(`../src/${file}.ts`, import.meta.url), 'utf8');
  const [, body = ''] = source.split(new RegExp(`export interface ${name}\\b`));
  const [members = ''] = body.split('\n}');
  const names = [...members.matchAll(/^ {2}(?:readonly )?(\w+)[?:(]/gm)].map(([, one]) => one);
  expect(names.length).toBeGreaterThan(1);
  for (const one of names) expect(reference).toContain(`\n| \`${one}\` `);
});

test('README: the numbers are the numbers of the table', () => {
  const countries = new Set(book.stations.map(({ country }) => country)).size;
  expect(readme).toContain(`stations of ${countries} countries and ${book.groups.length} cities`);
});

test('README: names are found in each of the languages that it counts, in letters of its own', () => {
  const samples = new Map<string, string>();
  for (let row = 0; row < table.length; row++) {
    for (const { language, name } of table.aliasesOf(row)) {
      if (language !== undefined && !samples.has(language)) samples.set(language, name);
    }
  }
  expect(readme).toContain(`any of ${samples.size} languages`);
  for (const [language, name] of samples) {
    const found = book.suggest(name).flatMap((one) => [one.name, one.alias]);
    expect(found, language).toContain(name);
  }
});

test('the credit is exported, for pages that are made before the table is open', () => {
  expect(attribution).toBe(book.attribution);
});

test('NOTICE and README credit the sources, and the licence of the data is beside them', () => {
  const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  for (const { name, licence } of book.sources) {
    expect(read('NOTICE')).toContain(name);
    expect(read('NOTICE')).toContain(licence.split(' AND ').at(-1));
  }
  expect(read('LICENSE-DATA')).toContain('Open Database License');
  expect(read('package.json')).toContain('"MIT AND ODbL-1.0"');
});
