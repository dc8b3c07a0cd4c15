import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { publishedPackages } from '../shared/packages.mjs';
import {
  addressesOf,
  pageOf,
  pathsIn,
  shippedPages,
  withAddresses,
} from '../shared/repository.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const packages = publishedPackages();

test.each(packages)('the manifest of $name has what a registry shows', ({ folder, manifest }) => {
  const { homepage, bugs, repository } = manifest;
  // `node scripts/release/write-addresses.mjs` writes them.
  expect({ homepage, bugs, repository }).toEqual(addressesOf(root, folder));
  expect(new Set(manifest.keywords).size).toBe(manifest.keywords.length);
  expect(manifest.keywords.length).toBeGreaterThanOrEqual(5);
  for (const keyword of manifest.keywords) expect(keyword).toMatch(/^[a-z][a-z-]+[a-z]$/);
  expect(manifest.files).toContain('CHANGELOG.md');
});

test('no two packages have the same keywords', () => {
  const lists = packages.map(({ manifest }) => manifest.keywords.join());
  expect(new Set(lists).size).toBe(packages.length);
});

test('withAddresses() changes links that leave the package, and no others', () => {
  const { folder, manifest } = packages.find(({ name }) => name === '@ticketing/carriers');
  const place = { root, folder, page: 'README.md', files: manifest.files };
  const front = pageOf(root);
  const kept = '[a](./wires/renfe.md) [b](#errors) [c](CHANGELOG.md) [d](https://a.invalid/)';
  expect(withAddresses(kept, place)).toBe(kept);
  expect(
    withAddresses('[a](../core/README.md#errors) [b](../../examples/own-carrier)', place),
  ).toBe(
    `[a](${front}/blob/main/packages/core/README.md#errors) [b](${front}/tree/main/examples/own-carrier)`,
  );
  expect(withAddresses('[a](../README.md)', { ...place, page: 'wires/renfe.md' })).toBe(
    '[a](../README.md)',
  );
  expect(withAddresses('[`a`](../../LICENSE)', place)).toBe(`[\`a\`](${front}/blob/main/LICENSE)`);
});

test('pathsIn() skips code, addresses and anchors', () => {
  const text = '[a](b.md) `[c](d.md)` [`e`](f)\n```md\n[g](h)\n```\n![i](j.png) <img src="k.webp">';
  expect(pathsIn(text)).toEqual(['b.md', 'f', 'j.png', 'k.webp']);
});

test.each(packages)('each shipped page of $name links files that exist', ({ folder, manifest }) => {
  const { files } = manifest;
  const pages = shippedPages(folder, files);
  expect(pages).toContain('README.md');
  for (const page of pages) {
    const text = readFileSync(join(folder, page), 'utf8');
    for (const target of pathsIn(text)) {
      const path = resolve(folder, dirname(page), target.split('#')[0]);
      expect(existsSync(path), `${page}: ${target}`).toBe(true);
    }
    const linked = withAddresses(text, { root, folder, page, files });
    for (const target of pathsIn(linked)) {
      expect(target.startsWith('..') && page === 'README.md', `${page}: ${target}`).toBe(false);
    }
  }
});
