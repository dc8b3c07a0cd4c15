import { once } from 'node:events';
import { expect, test } from 'vitest';
import { testEarlySignal } from '../readme-cases.ts';
import { exampleIn, freePort, live, main } from '../readme-program.ts';

const run = exampleIn('full');

testEarlySignal(run, 'as it is', 'SIGINT');
testEarlySignal(run, 'with a handler of its own, which closes', 'SIGTERM');

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

test('README: the primary does not live when no worker can start', {
  timeout: 120_000,
}, async () => {
  const livePort = await freePort();
  const failed = `await supervisor.ready().catch(() => console.log('failed'));`;
  const watched = main.replace(
    'await supervisor.ready();',
    `${live.replace('9090', String(livePort))}${failed}`,
  );
  const primary = await run('dead', "throw new Error('no configuration');\n", watched);
  await once(primary.stdout as NodeJS.ReadableStream, 'data');
  const { status } = await fetch(`http://127.0.0.1:${livePort}`);
  expect(status).toBe(503);
  primary.kill('SIGTERM');
  expect(await once(primary, 'exit')).toEqual([0, null]);
});
