import { once } from 'node:events';
import { expect, test } from 'vitest';
import { exampleIn, freePort, main, server } from '../readme-program.ts';

const run = exampleIn('full');

test.each(['SIGTERM', 'SIGINT'] as const)(
  'README: %s while workers start ends the program with 0 and without a word',
  { timeout: 120_000 },
  async (signal) => {
    const begun = main.replace('await', "console.log('begun');\nawait");
    const program = server.replace('8080', String(await freePort()));
    const primary = await run(`begun-${signal}`, program, begun);
    let said = '';
    primary.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    await once(primary.stdout as NodeJS.ReadableStream, 'data');
    primary.kill(signal);
    primary.kill(signal);
    expect(await once(primary, 'close')).toEqual([0, null]);
    expect(said).toBe('');
  },
);

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
