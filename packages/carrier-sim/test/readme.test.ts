import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readCommandLine } from '@ticketing/cli-kit';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../src/program/command.ts';
import { faultKinds } from '../src/server/fault.ts';
import { type CarrierSimId, carrierSimIds } from '../src/timetable/sim-carriers.ts';
import { planTraitsOf, wireFaultKinds, wires } from '../src/wires/wires.ts';

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const reference = await readFile(
  new URL('../../../docs/reference/carrier-sim.md', import.meta.url),
  'utf8',
);
const snippets = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '');

test('README.md has its snippets', () => {
  expect(snippets).toHaveLength(3);
  expect(snippets.every((code) => code.includes('assert.'))).toBe(true);
});

test.each(snippets)('README.md snippet %# runs and its assertions hold', async (code) => {
  const folder = await mkdtemp(join(import.meta.dirname, '.readme-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'snippet.ts');
  await writeFile(file, code.replaceAll('@ticketing/carrier-sim', '../../src/index.ts'));
  await import(/* @vite-ignore */ pathToFileURL(file).href);
});

test('README.md starts the program with flags that it has', () => {
  const lines = [...readme.matchAll(/npx (?:--yes )?@ticketing\/carrier-sim (--.*?)(?: &|`|$)/gm)];
  expect(lines).toHaveLength(1);
  for (const [, flags = ''] of lines) {
    const { port, planFile } = readCommandLine(command, flags.split(' ')).settings;
    expect([port.value, planFile.value]).toEqual([4010, 'plan.json']);
  }
});

test('README.md starts with the description of package.json, which is atop src/index.ts too', async () => {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const index = await readFile(new URL('../src/index.ts', import.meta.url), 'utf8');
  const { description } = JSON.parse(manifest) as { description: string };
  expect(readme.split('\n')[2]).toBe(`${description}.`);
  expect(index.split('\n')[0]).toBe(`// ${description}`);
});

test('README.md has at most 900 words', () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

const read = (name: string) => readFile(new URL(`../src/${name}`, import.meta.url), 'utf8');

test('the reference has a row for every error code and fault of the source', async () => {
  const sources = await Promise.all(
    ['errors.ts', 'server/control-routes.ts', 'server/own-carriers.ts'].map(read),
  );
  const codes = [...sources.join().matchAll(/'(ERR_\w+)'/g)].map(([, code]) => code);
  expect(new Set(codes).size).toBe(4);
  const general = faultKinds.filter((kind) => !wireFaultKinds.some((own) => own === kind));
  for (const name of [...codes, ...general]) expect(reference).toContain(`\n| \`${name}\` `);
  expect(readme).toContain(`${general.length} faults of every wire`);
});

test('the reference has a row for every fault of one wire, and no other', () => {
  // A wire is named after the first carrier that has it.
  const firsts = carrierSimIds.filter(
    (id, at) => carrierSimIds.findIndex((one) => wires[one].create === wires[id].create) === at,
  );
  const faults = firsts.flatMap((id: CarrierSimId) =>
    Object.keys(planTraitsOf(id).faults).map((kind) => `${id} ${kind}`),
  );
  const [, chapter = ''] = /## Faults of one wire\n(.*?)\n## /s.exec(reference) ?? [];
  const rows = [...chapter.matchAll(/^\| `([a-z]+)` +\| `([\w.-]+)` /gm)];
  expect(rows.map(([, id, kind]) => `${id} ${kind}`).sort()).toEqual(faults.toSorted());
  expect(readme).toContain(`[${faults.length} more]`);
  for (const id of firsts) {
    for (const page of [readme, reference]) expect(page).toContain(`\n| \`/${id}\` `);
  }
});

test.each([
  ['server/carrier-sim-options.ts', 'CarrierSimOptions'],
  ['server/start-carrier-sim.ts', 'CarrierSim'],
  ['server/plan.ts', 'Plan'],
  ['server/request-log.ts', 'RequestCounts'],
  ['server/request-log.ts', 'OwnRequestCounts'],
  ['server/own-carriers.ts', 'OwnRequest'],
  ['server/own-carriers.ts', 'OwnAnswer'],
  ['wires/wire.ts', 'RawRequest'],
])('the reference has a row for every member of %s, %s', async (file, name) => {
  const [, body = ''] = (await read(file)).split(new RegExp(`export interface ${name}\\b`));
  const [members = ''] = body.split('\n}');
  const names = [...members.matchAll(/^ {2}(?:readonly )?(\w+)[?:(]/gm)].map(([, one]) => one);
  expect(names.length).toBeGreaterThan(0);
  for (const one of names) expect(reference).toContain(`\n| \`${one}\` `);
});

test('the reference has a row for every flag of the program, with its default', () => {
  for (const { name, fallback } of Object.values(command.flags)) {
    const row = reference.split('\n').find((line) => line.startsWith(`| \`--${name}\` `));
    expect(row).toBeDefined();
    if (fallback !== undefined) expect(row).toContain(String(fallback));
  }
});

test('the reference has every control route', async () => {
  const source = await read('server/control-routes.ts');
  const routes = [...source.matchAll(/\.(get|put)(?:<[^(]*>)?\(\s*'(\/[^']+)'/g)];
  expect(routes).toHaveLength(4);
  for (const [, method = '', path] of routes) {
    expect(reference).toContain(`\n| \`${method.toUpperCase()} ${path}\` `);
  }
});
