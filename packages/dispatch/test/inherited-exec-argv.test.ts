import { expect, test } from 'vitest';
import { inheritedExecArgv } from '../src/process/worker-process.ts';

test.each([
  [['--conditions=@ticketing/source', '--no-warnings']],
  [['-C', 'development', '--import', './register.mjs', '-r', './hook.cjs']],
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
