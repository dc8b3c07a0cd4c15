import { checkHeldOutput, checkIgnoredOutput, checkLargeAnswer, lives } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { create, endAfterEach, execArgv } from '../fork-fixture.ts';

endAfterEach();

test('a large answer, and JSON as bytes, arrive', () => checkLargeAnswer(create()));

test('a task without end is ended', async () => {
  const dispatcher = create({ abortGraceMs: 0 });
  const pid = await dispatcher.run('pid', undefined);
  const spinning = dispatcher.run('spin', undefined, { runTimeoutMs: 50 });
  await expect(spinning).rejects.toMatchObject({ code: 'ERR_RUN_TIMEOUT' });
  expect(await dispatcher.run('pid', undefined)).not.toBe(pid);
  expect(lives(pid)).toBe(false);
});

test('foreign messages over the channel are ignored', async () => {
  const dispatcher = create();
  for (const message of [{ 'watch:import': ['file:///a.ts'] }, 'text', [1], null, 5]) {
    expect(await dispatcher.run('foreign', message)).toBe('sent');
  }
});

test('Node options of this process are kept, and some added', async () => {
  const kept = process.execArgv;
  process.execArgv = ['--no-warnings', '--inspect=0', '--watch'];
  const dispatcher = create();
  process.execArgv = kept;
  expect(await dispatcher.run('execArgv', undefined)).toEqual([
    '--no-warnings',
    // The worker has a port of its own.
    '--inspect=127.0.0.1:0',
    ...execArgv,
  ]);
});

test('workers have the environment that is given', async () => {
  const dispatcher = create({ env: { ...process.env, GIVEN: 'yes', HOME: undefined } });
  expect(await dispatcher.run('env', 'GIVEN')).toBe('yes');
  expect(await dispatcher.run('env', 'HOME')).toBe(undefined);
});

test('the program of the workers can be elsewhere', async () => {
  const workerUrl = new URL('../fixtures/worker-elsewhere.ts', import.meta.url);
  expect(await create({ workerUrl }).run('argv', undefined)).toContain('worker-elsewhere.ts');
});

test('output: ignore drops the output of workers', () => checkIgnoredOutput(create));

test('output: a worker that writes 16 MB waits while its reader does: no more than a chunk is on our side', async () => {
  await checkHeldOutput(create);
});
