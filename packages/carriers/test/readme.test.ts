import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { stations } from '../src/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const reference = readFileSync(
  new URL('../../../docs/reference/carriers.md', import.meta.url),
  'utf8',
);
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
const folder = new URL('../node_modules/.readme/', import.meta.url);

test('README: the first snippet finds trains of three carriers', async () => {
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = new URL('search.ts', folder);
  const sources = snippets[0]
    ?.replaceAll("'@ticketing/carriers'", "'../../src/index.ts'")
    // On a busy machine the carriers may need longer than the default.
    .replace('http: http.clientOf,', '$& deadlineMs: 60_000,');
  writeFileSync(file, `${sources}\nexport { journeys, carriers };\n`);
  const { journeys, carriers } = await import(file.href);
  expect(journeys.length).toBeGreaterThanOrEqual(20);
  expect(carriers.map(({ state }: { state: string }) => state)).toEqual(['ok', 'ok', 'ok']);
});

test('each function that the pages of the wires name is one that a package exports', () => {
  const wires = new URL('../wires/', import.meta.url);
  const named = readdirSync(wires).flatMap((name) =>
    [...readFileSync(new URL(name, wires), 'utf8').matchAll(/`(\w+)\(\)`/g)].map(([, one]) => one),
  );
  const exports = ['core', 'carriers', 'stations']
    .map((name) => readFileSync(new URL(`../../${name}/src/index.ts`, import.meta.url), 'utf8'))
    .join();
  expect(named).toContain('openStations');
  for (const name of named) expect(exports).toMatch(new RegExp(`\\b${name}\\b`));
});

test('README: it counts the stations of the table', () => {
  expect(readme).toMatch(new RegExp(`the ${stations.length}\\s+stations of \`stations\``));
});

test('README: every snippet is one that a test here runs', () => {
  expect(snippets).toHaveLength(1);
});

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** Returns the members of an interface of a source file. */
function membersOf(file: string, name: string): string[] {
  const [, body = ''] = read(`src/${file}`).split(new RegExp(`export interface ${name}\\b`));
  const [members = ''] = body.split('\n}');
  return [...members.matchAll(/^ {2}(?:readonly )?(\w+)[?:(]/gm)].map(([, one = '']) => one);
}

test('README begins with the sentence of the package, and has at most 900 words', () => {
  const { description } = JSON.parse(read('package.json'));
  expect(readme.startsWith(`# @ticketing/carriers\n\n${description}.\n`)).toBe(true);
  expect(read('src/index.ts').startsWith(`// ${description}.\n`)).toBe(true);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

test.each([
  ['http/carrier-http.ts', 'CarrierHttpOptions'],
  ['http/carrier-http.ts', 'CarrierHttpPools'],
  ['http/carrier-http.ts', 'CarrierHttpStats'],
  ['wire/endpoint.ts', 'OperatorServer'],
])('the reference has a row for every member of %s, %s', (file, name) => {
  const members = membersOf(file, name);
  expect(members.length).toBeGreaterThan(2);
  for (const member of members) expect(reference).toContain(`\n| \`${member}\` `);
});

test('the reference has every option of Ouigo', () => {
  for (const member of membersOf('ouigo/create-ouigo.ts', 'OuigoOptions')) {
    expect(reference).toMatch(new RegExp(`\\n\\| \`createOuigo\` +\\| \`${member}\` `));
  }
});

test.each([
  ['hafas', 'hafas/create-hafas.ts', 'HafasOptions'],
  ['hafas', 'hafas/hafas-profile.ts', 'HafasProfile'],
  ['navitia', 'navitia/create-navitia.ts', 'NavitiaOptions'],
  ['ojp', 'ojp/create-ojp.ts', 'OjpOptions'],
  ['osdm', 'osdm/create-osdm.ts', 'OsdmOptions'],
])('the page of the wire %s has a row for every option of %s, %s', (wire, file, name) => {
  const page = read(`wires/${wire}.md`);
  const shared = ['baseUrl', ...membersOf('wire/endpoint.ts', 'OperatorServer')];
  const members = [...membersOf(file, name), ...(name.endsWith('Options') ? shared : [])];
  expect(members.length).toBeGreaterThan(7);
  for (const member of members) expect(page).toContain(`\n| \`${member}\` `);
});

test('the reference has every code that an adapter throws, and no other', () => {
  const thrown = readdirSync(new URL('../src/', import.meta.url), { recursive: true })
    .filter((file) => String(file).endsWith('.ts'))
    .flatMap((file) => [...read(`src/${file}`).matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g)])
    .map(([, code = '']) => code);
  const core = readFileSync(new URL('../../core/src/errors.ts', import.meta.url), 'utf8');
  const known = [...core.matchAll(/^ {2}([A-Z_]+): (?:true|false),$/gm)].map(([, code]) => code);
  const documented = [...reference.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, code]) => code);
  expect(documented.toSorted()).toEqual(known.filter((code) => thrown.includes(`${code}`)).sort());
  expect(readme).toContain(`[${['eight', 'nine', 'ten'][documented.length - 12]} more]`);
});

/** Definitions that a reader of the wires' pages has, beside this package. */
const ofReader = `
import { hafasSimProfile as profile } from '@ticketing/carrier-sim';
import { createAvlo, createHafas, createNavitia, createOjp, createOsdm, createOuigo, createRenfe } from '../../src/index.ts';
const token = async () => 'secret';
const baseUrl = 'https://carrier.example/';
const sim = { url: baseUrl };
const [username, password] = ['me', 'secret'];
const credentials = { username, password };
`;

test.each([
  ['avlo', 'avlo'],
  ['hafas', 'oebb'],
  ['navitia', 'regions'],
  ['ojp', 'timetable'],
  ['osdm', 'rail'],
  ['ouigo', 'ouigo'],
  ['renfe', 'renfe'],
])('the page of the wire %s creates the carrier of its snippet', async (wire, name) => {
  const blocks = [...read(`wires/${wire}.md`).matchAll(/```(?:js|ts)\n([\s\S]*?)```/g)];
  expect(blocks).toHaveLength(1);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = new URL(`${wire}.ts`, folder);
  writeFileSync(file, `${ofReader}\n${blocks[0]?.[1]}\nexport { ${name} };\n`);
  const { [name]: carrier } = await import(file.href);
  expect(carrier).toMatchObject({ id: name, request: expect.any(Function) });
});
