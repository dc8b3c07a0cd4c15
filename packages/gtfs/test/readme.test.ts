import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { smallFeed, zipFeed } from './zip-feed.ts';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const readme = read('README.md');
const reference = read('../../docs/reference/gtfs.md');
const sources = readdirSync(new URL('../src/', import.meta.url), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.ts'));
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);

test('README: the snippet finds a journey', async () => {
  const folder = new URL('../node_modules/.readme/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const calendar = smallFeed['calendar.txt']?.replace('20271231', '21991231');
  const feed = { ...smallFeed, 'calendar.txt': calendar };
  writeFileSync(new URL('feed.zip', folder), zipFeed(feed));
  // Runs on each day that a search may have.
  const source = (snippets[0] as string)
    .replace("'@ticketing/gtfs'", "'../../src/index.ts'")
    .replace("'./feed.zip'", "new URL('feed.zip', import.meta.url)");
  const file = new URL('search.ts', folder);
  writeFileSync(file, `${source}\nexport { journeys };\n`);
  const { journeys } = await import(file.href);
  expect(journeys).toMatchObject([{ unpriced: ['timetable'], transfers: 0 }]);
  expect(snippets).toHaveLength(1);
});

test('README begins with the sentence of the package, and has at most 900 words', () => {
  const { description } = JSON.parse(read('package.json'));
  expect(readme.startsWith(`# @ticketing/gtfs\n\n${description}.\n`)).toBe(true);
  expect(read('src/index.ts').startsWith(`// ${description}\n`)).toBe(true);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

test.each([
  ['read-gtfs', 'ReadGtfsOptions'],
  ['carrier/create-gtfs-carrier', 'GtfsCarrierOptions'],
])('the reference has a row for every option of %s, with its default', (file, name) => {
  const [, body = ''] = read(`src/${file}.ts`).split(new RegExp(`export interface ${name}\\b`));
  const [members = ''] = body.split('\n}');
  const names = [...members.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, one]) => one);
  expect(names.length).toBeGreaterThan(5);
  for (const one of names) expect(reference).toContain(`\n| \`${one}\` `);
});

test('the reference has every code of GtfsError, each is thrown, and there is no other', () => {
  const codes = [...read('src/errors.ts').matchAll(/^ {2}\| '(ERR_\w+)'/gm)].map(
    ([, code]) => code,
  );
  const documented = [...reference.matchAll(/^\| `(ERR_\w+)`/gm)].map(([, code]) => code);
  expect(documented.sort()).toEqual(codes);
  const thrown = sources.filter((name) => name !== 'errors.ts').map((name) => read(`src/${name}`));
  for (const code of codes) expect(thrown.join('\n')).toContain(`'${code}'`);
});

test('the reference has every reason why a row is left out', () => {
  const [, chapter = ''] = /## Rows that are left out\n(.*?)\n## /s.exec(reference) ?? [];
  const texts = sources
    .filter((name) => /^(reader|timetable|files)\//.test(name))
    .map((name) => read(`src/${name}`))
    .join('\n');
  const reasons = [
    ...texts.matchAll(/(?:return|file,) '((?:with|without|of|at|in|for) [^']+)'/g),
  ].map(([, reason]) => reason as string);
  expect(new Set(reasons).size).toBeGreaterThan(15);
  for (const reason of reasons) expect(chapter).toContain(reason);
  const documented = chapter
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.includes('---') && !line.includes('reasons'))
    .flatMap((line) => (line.split('|')[2] as string).split('·').map((one) => one.trim()));
  expect(documented.filter((one) => !reasons.includes(one))).toEqual([]);
});
