import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}SECURITY.md`, 'utf8');
const promises = [...page.matchAll(/^- \*\*([a-z-]+)\*\*:/gm)].map(([, name]) => name);
const tests = globSync('{packages,internal,apps}/*/test/**/*.ts', { cwd: root }).map((path) =>
  readFileSync(root + path, 'utf8'),
);
/** Names in square brackets at the end of a title. */
const named = new Set(
  tests.flatMap((text) =>
    [...text.matchAll(/ \[(?!data-|aria-)([a-z]+(?:-[a-z]+)+)\][`'"]/g)].map(([, name]) => name),
  ),
);

test('each promise of SECURITY.md has a test that names it', () => {
  expect(promises.length).toBeGreaterThan(10);
  expect(promises.filter((name) => !named.has(name))).toEqual([]);
});

test('each promise that a test names is one of SECURITY.md', () => {
  expect([...named].filter((name) => !promises.includes(name))).toEqual([]);
});
