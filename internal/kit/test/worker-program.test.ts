import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { workerProgram } from '../src/processes/worker-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'worker-program-'));
afterAll(() => rmSync(folder, { recursive: true }));
const urlOf = (name: string): URL => pathToFileURL(join(folder, name));

/** The program beside a module of this name. */
function find(module: string | undefined, given?: URL): URL {
  const program = { specifier: '@scope/pool/worker', file: 'pool-worker', beside: module };
  return workerProgram('create dispatcher', given, program);
}

test('the program is beside the module, with the same ending, and has a name of its own', () => {
  writeFileSync(urlOf('pool-worker.js'), '');
  expect(find(urlOf('index.js').href)).toEqual(urlOf('pool-worker.js'));
  expect(find(urlOf('chunk-1.js').href)).toEqual(urlOf('pool-worker.js'));
});

test.each([
  // As esbuild leaves `import.meta.url` in CommonJS.
  ['without an address of its module', undefined],
  ['whose address is none', 'main.js'],
  ['that is a file of its own', urlOf('main.mjs').href],
  ['with another worker beside it', urlOf('main.cjs').href],
])('a bundle %s is told to set `workerUrl`, at once', (_, module) => {
  // A queue worker of the application.
  writeFileSync(urlOf('worker.cjs'), '');
  expect(() => find(module)).toThrow(
    new TypeError(
      'Cannot create dispatcher: set `workerUrl` to the URL of a copy of @scope/pool/worker: this is a bundle, without pool-worker beside it',
    ),
  );
});

test('the URL that was given must exist, if it is that of a file', () => {
  const given = urlOf('given.js');
  expect(() => find(undefined, given)).toThrow(
    new TypeError(
      `Cannot create dispatcher: \`workerUrl\` must be the URL of a copy of @scope/pool/worker, got ${given.href}, which does not exist`,
    ),
  );
  writeFileSync(given, '');
  expect(find(undefined, given)).toBe(given);
  const data = new URL('data:text/javascript,');
  expect(find(undefined, data)).toBe(data);
});
