import { lives } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { create, endAfterEach, execArgv } from '../fork-fixture.ts';

endAfterEach();

test('a large answer, and JSON as bytes, arrive', async () => {
  const dispatcher = create();
  expect(await dispatcher.run('bytes', 5_000_000)).toHaveLength(5_000_000);
  expect(String(await dispatcher.run('json', { a: [1] }))).toBe('{"a":[1]}');
});

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
    // At a port of its own.
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

test('output: ignore drops it', async () => {
  const outputs = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
  onTestFinished(() => void vi.restoreAllMocks());
  const dispatcher = create({ output: 'ignore' });
  await dispatcher.run('say', 'not to be seen');
  await dispatcher.close();
  const seen = outputs.flatMap(({ mock }) => mock.calls.map(([chunk]) => String(chunk)));
  expect(seen.filter((chunk) => chunk.includes('not to be seen'))).toEqual([]);
});
