import { checkIgnoredOutput, checkLargeAnswer } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { create, execArgv, leaveNothing } from '../piscina-fixture.ts';

leaveNothing();

test('a large answer, and JSON as bytes, arrive', () => checkLargeAnswer(create()));

test('a buffer that cannot be moved rejects its task alone', async () => {
  const dispatcher = create();
  const gone = new ArrayBuffer(8);
  structuredClone(gone, { transfer: [gone] });
  const refused = dispatcher.run('echo', 'refused', { transfer: [gone] });
  const beside = dispatcher.run('echo', 'beside');
  await expect(refused).rejects.toMatchObject({ code: 'ERR_NOT_CLONEABLE' });
  expect(await beside).toBe('beside');
});

test('a task without end is ended', async () => {
  const dispatcher = create({ abortGraceMs: 0 });
  const spinning = dispatcher.run('spin', undefined, { runTimeoutMs: 50 });
  await expect(spinning).rejects.toMatchObject({ code: 'ERR_RUN_TIMEOUT' });
  expect(await dispatcher.run('echo', 'next')).toBe('next');
});

test('close() ends a task without end', async () => {
  const dispatcher = create({ abortGraceMs: 0 });
  let spinning: Promise<unknown> | undefined;
  await new Promise((resolve) => {
    spinning = dispatcher.run('spin', undefined, { onProgress: resolve });
    spinning.catch(() => {});
  });
  await dispatcher.close();
  expect(dispatcher.state).toBe('closed');
  expect(dispatcher.stats().workers).toEqual([]);
  await expect(spinning).rejects.toMatchObject({ code: 'ERR_CLOSED' });
});

test('threads have the environment and Node options that are given', async () => {
  const env = { ...process.env, GIVEN: 'yes', HOME: undefined };
  const dispatcher = create({ env, execArgv: [...execArgv, '--no-warnings'] });
  expect(await dispatcher.run('env', 'GIVEN')).toBe('yes');
  expect(await dispatcher.run('env', 'HOME')).toBe(undefined);
  expect(await dispatcher.run('execArgv', undefined)).toContain('--no-warnings');
});

test('output: ignore drops the output of workers', () => checkIgnoredOutput(create));
