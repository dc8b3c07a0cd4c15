import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { existingModule } from '../../src/worker/existing-module.ts';
import { serveRig } from './serve-tasks-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'existing-module-'));
afterAll(() => rmSync(folder, { recursive: true }));
const hrefOf = (name: string): string => pathToFileURL(join(folder, name)).href;
const written = (name: string, text = ''): string => {
  writeFileSync(new URL(hrefOf(name)), text);
  return hrefOf(name);
};

test.each([
  ['a.ts', 'a.js'],
  ['b.js', 'b.ts'],
  ['c.mts', 'c.mjs'],
  ['d.mjs', 'd.mts'],
  ['e.cts', 'e.cjs'],
  ['f.cjs', 'f.cts'],
])('existingModule() of %s, which does not exist, is %s', (missing, twin) => {
  expect(existingModule(hrefOf(missing))).toBe(hrefOf(missing));
  written(twin);
  expect(existingModule(hrefOf(missing))).toBe(hrefOf(twin));
  expect(existingModule(`${hrefOf(missing)}?version=2`)).toBe(`${hrefOf(twin)}?version=2`);
});

test('existingModule() prefers the given file, and leaves other addresses alone', () => {
  written('both.ts');
  expect(existingModule(written('both.js'))).toBe(hrefOf('both.js'));
  written('component.js');
  for (const href of [
    hrefOf('component.jsx'),
    'data:text/javascript,export default 5',
    'http://127.0.0.1/component.ts',
    './component.ts',
  ]) {
    expect(existingModule(href)).toBe(href);
  }
});

test('a worker loads the build of a source that is not there', async () => {
  written('tasks.js', 'export default { tasks: { search: (input) => input }, hooks: {} };');
  const rig = serveRig(hrefOf('tasks.ts'));
  await rig.until((log) => log.length === 1);
  expect(rig.log).toEqual([{ kind: 'ready', tasks: ['search'] }]);
});
