import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { entriesOf, faultsOf, licencesIn } from '../release/shipped-checks.mjs';

const good = {
  name: '@ticketing/good',
  version: '0.3.0',
  license: 'MIT',
  keywords: ['one', 'two', 'three'],
  homepage: 'https://example.invalid/good',
  bugs: { url: 'https://example.invalid/good/issues' },
  repository: { url: 'git+https://example.invalid/good.git', directory: 'packages/good' },
  exports: {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './worker': './dist/worker.js',
    './package.json': './package.json',
  },
  dependencies: { '@ticketing/other': '^0.3.0', undici: '^7.0.0' },
};
const files = [
  ...['CHANGELOG.md', 'LICENSE', 'README.md'],
  ...['dist/index.d.ts', 'dist/index.js', 'dist/worker.js'],
];
let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shipped-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path, text = '') {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
function ship(manifest, paths = files) {
  for (const path of paths) write(path);
  write('package.json', JSON.stringify(manifest));
  return faultsOf(folder, { version: '0.3.0', hidden: [folder] });
}

it('faultsOf() finds nothing in a complete package', () => {
  expect(ship(good)).toEqual([]);
  expect(entriesOf(folder)).toEqual(['@ticketing/good', '@ticketing/good/worker']);
});

it('faultsOf() names missing files, and files without a use', () => {
  write('dist/index.js', `at ${folder}/src/index.ts`);
  write('dist/worker/index.js', "import '../chunk-NEW1.js';");
  write('dist/chunk-NEW1.js', "import './chunk-NEW2.js';");
  write('dist/chunk-NEW2.js');
  write('dist/chunk-OLD1.js', "import './chunk-NEW2.js';\n//# sourceMappingURL=chunk-OLD1.js.map");
  const paths = ['README.md', 'dist/index.d.ts', 'wires/one.md', 'test/a.test.ts'];
  expect(ship(good, paths)).toEqual([
    '@ticketing/good ships test/a.test.ts',
    '@ticketing/good has no CHANGELOG.md',
    '@ticketing/good has no LICENSE',
    '@ticketing/good dist/index.js shows a path of this machine',
    '@ticketing/good ships dist/chunk-OLD1.js of an earlier build: remove dist',
    '@ticketing/good exports ./dist/worker.js, which is missing',
  ]);
});

it('faultsOf() requires the licences of data beside it, in that package alone', () => {
  const stations = { ...good, name: '@ticketing/stations', license: 'MIT AND ODbL-1.0' };
  expect(ship(stations, [...files, 'data/stations.bin', 'NOTICE'])).toEqual([
    '@ticketing/stations has no LICENSE-DATA',
  ]);
  write('LICENSE-DATA');
  expect(ship(good)).toEqual([
    '@ticketing/good ships LICENSE-DATA',
    '@ticketing/good ships NOTICE',
    '@ticketing/good ships data/stations.bin',
  ]);
});

it('faultsOf() names what a manifest keeps of the workspace', () => {
  const manifest = {
    ...good,
    version: '0.2.0',
    license: 'UNLICENSED',
    repository: undefined,
    ...{ homepage: undefined, bugs: undefined, keywords: ['one'] },
    exports: { '.': { '@ticketing/source': './dist/index.js' } },
    dependencies: { '@ticketing/other': '^0.2.0', undici: 'catalog:' },
  };
  expect(ship(manifest)).toEqual([
    '@ticketing/good is 0.2.0, not 0.3.0',
    '@ticketing/good has the licence UNLICENSED',
    '@ticketing/good names no repository, which provenance needs',
    '@ticketing/good has no directory in its repository',
    '@ticketing/good has no homepage',
    '@ticketing/good has no address for bugs',
    '@ticketing/good has fewer than 3 keywords',
    '@ticketing/good exports its sources',
    '@ticketing/good depends on @ticketing/other ^0.2.0',
    '@ticketing/good depends on undici by catalog:',
  ]);
});

it('faultsOf() names links of a page to paths that are not in the package', () => {
  ship(good, [...files, 'wires/one.md']);
  write(
    'README.md',
    '[a](./wires/one.md#b) [c](#d) [e](https://a.invalid) `[f](g)` [h](../../docs/i.md)',
  );
  write('wires/one.md', '[up](../README.md) [j](k.md)');
  expect(faultsOf(folder, { version: '0.3.0', hidden: [folder] })).toEqual([
    '@ticketing/good README.md links ../../docs/i.md, which is not in the package',
    '@ticketing/good wires/one.md links k.md, which is not in the package',
  ]);
});

it('licencesIn() counts the licences of dependencies, nested ones too, and names all but permissive ones', () => {
  write('node_modules/@ticketing/good/package.json', '{"license":"MIT"}');
  write('node_modules/one/package.json', '{"name":"one","license":"MIT"}');
  write('node_modules/one/dist/package.json', '{"type":"commonjs"}');
  write('node_modules/one/node_modules/@a/two/package.json', '{"name":"@a/two","license":"MIT"}');
  write('node_modules/three/package.json', '{"name":"three","license":"GPL-3.0"}');
  const { counts, others } = licencesIn(folder);
  expect([...counts].sort()).toEqual([
    ['GPL-3.0', 1],
    ['MIT', 2],
  ]);
  expect(others).toEqual(['three (GPL-3.0)']);
});
