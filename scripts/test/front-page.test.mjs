import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleNames } from '../shared/example-projects.mjs';
import { publishedPackages } from '../shared/packages.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const chapters = new Map(
  readme.split(/^## /m).map((chapter) => [chapter.split('\n', 1)[0], chapter]),
);
let folder;

// The demo has every package that the snippets import.
beforeAll(() => {
  folder = mkdtempSync(join(root, 'apps/demo-server/.readme-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the snippets of a chapter, each as the file that its first line names or as the program, and runs it. */
function outputOf(chapter) {
  const snippets = [...chapters.get(chapter).matchAll(/^```ts\n(.*?)^```$/gms)];
  for (const [, code] of snippets) {
    const name = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? 'main.ts';
    writeFileSync(join(folder, name), code);
  }
  const expected = /console\.log\(.*\/\/ (.*)$/m.exec(snippets.at(-1)[1])?.[1];
  const argv = ['--conditions=@ticketing/source', join(folder, 'main.ts')];
  return { printed: execFileSync(process.execPath, argv, { encoding: 'utf8' }).trim(), expected };
}

test.each(['Ask many', 'Run anywhere', 'Never twice'])(
  'front page: the snippet of "%s" prints its comment',
  (chapter) => {
    const { printed, expected } = outputOf(chapter);
    expect(expected).toBeDefined();
    expect(printed).toBe(expected);
  },
);

test('front page: every snippet has a test here', () => {
  expect(readme.match(/^```ts$/gm)).toHaveLength(4);
});

test('front page: it begins with the slogan, has at most 900 words, and no wide line outside of tables', () => {
  const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(readme.startsWith(`# @ticketing\n\n**${description}.**\n`)).toBe(true);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
  const wide = readme.split('\n').filter((line) => line.length > 300 && !line.startsWith('|'));
  expect(wide).toEqual([]);
});

test('front page: it lists each published package with its description', () => {
  const text = chapters.get('Packages').replaceAll(/\s+/g, ' ');
  const packages = publishedPackages();
  for (const { name, folder, manifest } of packages) {
    const link = `[\`${name}\`](packages/${basename(folder)}/README.md)`;
    expect(text).toContain(`- ${link}: ${manifest.description}`);
  }
  expect(chapters.get('Packages').match(/^- /gm)).toHaveLength(packages.length);
});

test('front page: packages listed as without runtime dependencies have none', () => {
  const [, list] = /\n(`core`[^.]*?) have no runtime dependencies/.exec(chapters.get('Packages'));
  const named = [...list.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
  const none = publishedPackages()
    .filter(({ manifest }) => Object.keys(manifest.dependencies ?? {}).length === 0)
    .map(({ folder }) => basename(folder));
  expect(none).toEqual(expect.arrayContaining(named));
});

test('examples/README.md lists every example', () => {
  const list = readFileSync(join(root, 'examples/README.md'), 'utf8');
  const rows = [...list.matchAll(/^\| \[`([\w-]+)`\]\(\1\)/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(exampleNames());
});
