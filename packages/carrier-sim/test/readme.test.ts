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
const snippets = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '');

test('README.md has its snippets', () => {
  expect(snippets).toHaveLength(2);
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

test('README.md starts with the description of package.json, which stands atop src/index.ts too', async () => {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const index = await readFile(new URL('../src/index.ts', import.meta.url), 'utf8');
  const { description } = JSON.parse(manifest) as { description: string };
  expect(readme.split('\n')[2]).toBe(`${description}.`);
  expect(index.split('\n')[0]).toBe(`// ${description}`);
});

test('README.md names every error code and fault of the source', async () => {
  const read = (name: string) => readFile(new URL(`../src/${name}`, import.meta.url), 'utf8');
  const sources = await Promise.all(
    ['errors.ts', 'server/control-routes.ts', 'server/own-carriers.ts'].map(read),
  );
  const codes = [...sources.join().matchAll(/'(ERR_\w+)'/g)].map(([, code]) => code);
  expect(new Set(codes).size).toBe(4);
  const general = faultKinds.filter((kind) => !wireFaultKinds.some((own) => own === kind));
  for (const name of [...codes, ...general]) expect(readme).toContain(`\n| \`${name}\` `);
  // Those of one wire are in its row, from the path of its first carrier on.
  const firsts = carrierSimIds.filter(
    (id, at) => carrierSimIds.findIndex((one) => wires[one].create === wires[id].create) === at,
  );
  const rows = firsts.map((id) => [id, readme.split(`\n| \`/${id}\` `)[1]?.split('\n')[0]]);
  for (const [id, row] of rows) {
    for (const kind of Object.keys(planTraitsOf(id as CarrierSimId).faults)) {
      expect(row).toContain(`\`${kind}\``);
    }
  }
  expect(rows.every(([, row]) => row !== undefined)).toBe(true);
});
