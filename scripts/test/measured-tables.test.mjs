import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { codeOf, tablesOf } from '../shared/measured-tables.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

const manifests = new Map([
  ['package.json', { name: 'whole' }],
  [
    'packages/a/package.json',
    { name: 'a', dependencies: { b: '1' }, devDependencies: { kit: '1', d: '1' } },
  ],
  [
    'packages/b/package.json',
    { name: 'b', peerDependencies: { c: '1' }, devDependencies: { e: '1' } },
  ],
  ['packages/c/package.json', { name: 'c', dependencies: { a: '1', fastify: '5' } }],
  ['packages/d/package.json', { name: 'd' }],
  ['packages/e/package.json', { name: 'e' }],
  ['internal/kit/package.json', { name: 'kit' }],
  ['experiments/package.json', { name: 'studies', dependencies: { d: '1' } }],
]);

test('tablesOf() finds each table by its day and command', () => {
  const page =
    '2 cores, Node v26, 2026-11-23, `pnpm --filter a bench`: medians.\n\n| a |\n\nOn 2026-11-24 `pnpm` was new.\n\n2026-11-25, `pnpm chaos --seed 1`: load.\n';
  expect(tablesOf(page)).toEqual([
    { date: '2026-11-23', command: 'pnpm --filter a bench' },
    { date: '2026-11-25', command: 'pnpm chaos --seed 1' },
  ]);
});

test('codeOf() has what a package depends on, also in circles, and what its own bench needs', () => {
  expect(codeOf('pnpm --filter a bench', manifests).toSorted()).toEqual([
    'packages/a',
    'packages/b',
    'packages/c',
    'packages/d',
  ]);
  expect(codeOf('pnpm chaos --setup all', manifests)).toEqual(['experiments', 'packages/d']);
  expect(() => codeOf('pnpm --filter f bench', manifests)).toThrow('no package is named f');
});

test('each measured table of this repository names a package that is there', () => {
  const paths = execFileSync('git', ['ls-files', '*package.json'], { cwd: root, encoding: 'utf8' });
  const all = new Map(
    paths
      .trim()
      .split('\n')
      .map((path) => [path, JSON.parse(readFileSync(join(root, path), 'utf8'))]),
  );
  const pages = globSync('{docs/**,experiments/*}/*.md', {
    cwd: root,
    exclude: ['**/node_modules'],
  });
  const commands = pages.flatMap((page) => tablesOf(readFileSync(join(root, page), 'utf8')));
  expect(commands.length).toBeGreaterThan(30);
  for (const { command } of commands) expect(codeOf(command, all)).not.toEqual([]);
});
