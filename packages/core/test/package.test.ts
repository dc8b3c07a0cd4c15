import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

test('the package depends on nothing', () => {
  const manifest = JSON.parse(read('package.json'));
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    expect(manifest).not.toHaveProperty(kind);
  }
});

test('the source imports its own files, what it bundles, and node: alone', () => {
  const foreign: string[] = [];
  for (const file of readdirSync(new URL('src/', root), { recursive: true }) as string[]) {
    if (!file.endsWith('.ts')) continue;
    for (const [, name = ''] of read(`src/${file}`).matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
      const own = /^\.\.?\/.+\.ts$/.test(name);
      const isBundled = name === '@ticketing/kit';
      if (!own && !isBundled && !(name.startsWith('node:') && isBuiltin(name)))
        foreign.push(`${file}: ${name}`);
    }
  }
  expect(foreign).toEqual([]);
});
