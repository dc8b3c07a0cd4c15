import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { inheritedExecArgv, inheritedNodeOptions } from '../src/processes/inherited-exec-argv.ts';

test.each([
  [['--conditions=@ticketing/source', '--no-warnings']],
  [['-C', 'development', '--import', 'tsx', '-r', '/hook.cjs', '--import=data:text/javascript,']],
  [['--env-file=/etc/env', '--allow-fs-read=*', '--allow-fs-write', '/tmp']],
  [['--max-old-space-size=100', '--expose-gc', '--check-something', '--print-bytecode']],
])('%j is inherited', (execArgv) => {
  expect(inheritedExecArgv(execArgv)).toEqual(execArgv);
});

test.each([
  [['-e', 'run()']],
  [['--eval', 'run()']],
  [['-p', '1 + 1']],
  [['-pe', '1 + 1']],
  [['--print=1']],
  [['--input-type=module']],
  [['--input-type', 'module']],
  [['--watch', '--watch-path=./src', '--watch-path', './lib', '--watch-preserve-output']],
  [['--inspect', '--inspect=0', '--inspect-brk=127.0.0.1:9229', '--inspect-port', '9230']],
  [['--debug-port=9230', '--inspect-wait', '--inspect-publish-uid=http']],
  [['--test', '--test-reporter', 'spec', '--test-only', '--test-concurrency=1']],
  [['-i', '--interactive', '-c', '--check', '--run', 'build']],
])('%j is not inherited, its neighbours are', (execArgv) => {
  const around = ['--conditions', 'one', ...execArgv, '--no-warnings'];
  expect(inheritedExecArgv(around)).toEqual(['--conditions', 'one', '--no-warnings']);
});

test.each([
  [
    ['--import', './setup.mjs'],
    ['--import', 'file:///home/app/setup.mjs'],
  ],
  [['--import=../setup.mjs'], ['--import=file:///home/setup.mjs']],
  [
    ['-r', './hook.cjs', './main.js'],
    ['-r', '/home/app/hook.cjs', './main.js'],
  ],
  [['--require=./a b.cjs'], ['--require=/home/app/a b.cjs']],
  [
    ['--loader', '.'],
    ['--loader', 'file:///home/app'],
  ],
  [
    ['--env-file', '.env', '--env-file-if-exists=local.env'],
    ['--env-file', '/home/app/.env', '--env-file-if-exists=/home/app/local.env'],
  ],
  [
    ['--allow-fs-read=.', '--allow-fs-read=*'],
    ['--allow-fs-read=/home/app', '--allow-fs-read=*'],
  ],
])('paths in %j belong to the folder of the program', (execArgv, absolute) => {
  expect(inheritedExecArgv(execArgv, false, '/home/app')).toEqual(absolute);
});

test('packages are found from the folder of the program when workers begin elsewhere', () => {
  const here = fileURLToPath(new URL('..', import.meta.url));
  const found = fileURLToPath(import.meta.resolve('fast-check'));
  const [, imported = ''] = inheritedExecArgv(['--import', 'fast-check'], true, here);
  // Its entry for require.
  expect(imported).toMatch(/^file:.*\/fast-check\//);
  expect(inheritedExecArgv(['--require', 'no-such-package'], true, here)).toEqual([
    '--require',
    'no-such-package',
  ]);
  expect(inheritedExecArgv(['--import', pathToFileURL(found).href], true, here)).toEqual([
    '--import',
    pathToFileURL(found).href,
  ]);
});

test.each([
  ['--no-warnings  --import tsx', '--no-warnings  --import tsx'],
  ['--import ./setup.mjs --no-warnings', '--import file:///app/setup.mjs --no-warnings'],
  ['--require="./a b.cjs"', '"--require=/app/a b.cjs"'],
  ['-r "./a \\"b\\".cjs"', '-r "/app/a \\"b\\".cjs"'],
  ['', ''],
])('NODE_OPTIONS %j becomes %j', (options, expected) => {
  expect(inheritedNodeOptions(options, false, '/app')).toBe(expected);
});
