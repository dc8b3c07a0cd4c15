import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
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

test('README: every snippet is one that a test here runs', () => {
  expect(snippets).toHaveLength(1);
});
