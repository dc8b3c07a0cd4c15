import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { OLDEST_TYPESCRIPT } from '../shared/oldest-typescript.mjs';
import { publishedPackages } from '../shared/packages.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const packages = publishedPackages().map(({ name, folder, manifest }) => ({
  name,
  folder,
  manifest,
  readme: readFileSync(join(folder, 'README.md'), 'utf8'),
}));
const packageOf = (specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)[0];

test.each(packages)(
  'the install line of $name has every package that its examples import',
  ({ name, manifest, readme }) => {
    const installs = [...readme.matchAll(/npm install(?: --save-dev)? ([^`\n]+)/g)].flatMap(
      ([, words]) => words.trim().split(/\s+/),
    );
    // What is named beside the line, as a choice of the reader.
    const named = [...readme.matchAll(/`([^`\s]+)`/g)].map(([, word]) => word);
    const code = [...readme.matchAll(/```(?:ts|js|mjs)\n(.*?)```/gs)]
      .map(([, text]) => text)
      .join('');
    const imported = [...code.matchAll(/(?:from|import|require\(|import\() ?'([^'.][^']*)'/g)]
      .map(([, specifier]) => specifier)
      .filter((specifier) => !specifier.startsWith('node:'))
      .map(packageOf);
    const had = [name, ...installs, ...named, ...Object.keys(manifest.dependencies ?? {})];
    expect(imported.filter((wanted) => !had.includes(wanted))).toEqual([]);
  },
);

test('each function that a page gives to a package is one of its exports', () => {
  const pages = globSync(
    '{README.md,packages/*/{README.md,wires/*.md},docs/*.md,examples/*/README.md}',
    {
      cwd: root,
    },
  );
  let found = 0;
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8');
    for (const [, called, owner] of text.matchAll(
      /`(\w+)\([^`]*\)` of\s+`@ticketing\/([\w-]+)`/g,
    )) {
      const index = readFileSync(join(root, 'packages', owner, 'src/index.ts'), 'utf8');
      expect(index, `${page}: ${called}() of ${owner}`).toMatch(new RegExp(`\\b${called}\\b`));
      found += 1;
    }
  }
  expect(found).toBeGreaterThan(0);
});

test('each page that names the oldest TypeScript names the versions that compile the packed types', () => {
  const { modules, commonJs } = OLDEST_TYPESCRIPT;
  const naming = packages.filter(({ readme }) => /need\s+TypeScript/.test(readme));
  expect(naming.length).toBeGreaterThan(0);
  for (const { name, readme } of naming) {
    expect(readme.replaceAll(/\s+/g, ' '), name).toContain(
      `need TypeScript ${modules} (CommonJS: ${commonJs}`,
    );
  }
});

test('the version of ioredis that batching-redis names is the one that its tests use', () => {
  const { readme } = packages.find(({ folder }) => basename(folder) === 'batching-redis');
  const catalog = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const [, major] = /^ {2}ioredis: \^(\d+)\./m.exec(catalog);
  expect(readme).toMatch(new RegExp(`\`ioredis\` (?:\\d+ or )?${major} instead`));
});
