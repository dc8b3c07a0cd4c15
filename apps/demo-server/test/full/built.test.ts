import { expect, test } from 'vitest';
import { startBuilt, testBuilt, useBuiltFolder } from '../built-cases.ts';

useBuiltFolder();
testBuilt('single');
testBuilt('cluster');

test('the built host has its own help, without the sources', async () => {
  const { exit, output } = await startBuilt(['dist/host.js', '--help'], /--nats-url/);
  expect(await exit).toEqual([0, null]);
  expect(output()).toContain('--nats-url');
});
