import { once } from 'node:events';
import { expect, test } from 'vitest';
import { exampleIn } from '../readme-program.ts';

const run = exampleIn('full');

test('README: if no worker ever starts the program exits with code 1, and says why', {
  timeout: 120_000,
}, async () => {
  const primary = await run('broken', "throw new Error('no configuration');\n");
  let said = '';
  primary.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  expect(await once(primary, 'close')).toEqual([1, null]);
  expect(said).toContain('ERR_CIRCUIT_OPEN');
  expect(said).toContain('no configuration');
});
