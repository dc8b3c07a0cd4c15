import { expect, test } from 'vitest';
import { threadExecArgv } from '../src/create-piscina-dispatcher.ts';

test('without added options a thread has the options of the program by itself', () => {
  expect(threadExecArgv(['--expose-gc', '--conditions=one'], [])).toBe(undefined);
});

test.each([
  [['-C', 'one', '--conditions=two', '--conditions', 'three']],
  [['--import', './register.mjs', '-r', './hook.cjs', '--require=./hook.cjs']],
  [['--no-warnings', '--disable-warning=DEP0040', '--unhandled-rejections=strict']],
  [['--experimental-strip-types', '--no-experimental-require-module']],
])('%j is kept', (execArgv) => {
  expect(threadExecArgv(execArgv, ['--added'])).toEqual([...execArgv, '--added']);
});

test.each([
  [['--expose-gc', '--max-old-space-size=100', '--title', 'name']],
  [['--inspect=0', '--watch', '--test', '-e', 'run()', '--input-type=module']],
])('%j is left out, its neighbours are not', (execArgv) => {
  const around = ['--conditions=one', ...execArgv, '--no-warnings'];
  const kept = ['--conditions=one', '--no-warnings', '--added'];
  expect(threadExecArgv(around, ['--added'])).toEqual(kept);
});
