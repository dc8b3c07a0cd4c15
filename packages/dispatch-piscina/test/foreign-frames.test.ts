import { expect, test } from 'vitest';
import { checkNothingEscapes, create, testForeignFrame } from './foreign-frames-cases.ts';

checkNothingEscapes();

testForeignFrame('cells that are no JSON', 'post');
testForeignFrame('a number that is a text', 'postAndExit');

test('messages that are no frames are ignored', async () => {
  await using dispatcher = create();
  const controller = new AbortController();
  const { signal } = controller;
  const call = dispatcher.run('post', [undefined, 7, 'text', {}, [], [1]], { signal });
  expect(await dispatcher.run('echo', 'later')).toBe('later');
  controller.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});
