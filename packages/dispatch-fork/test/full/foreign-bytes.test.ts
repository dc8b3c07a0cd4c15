import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManualClock, turns, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createForkDispatcher } from '../../src/index.ts';
import type { Tasks } from '../fixtures/foreign-bytes.ts';

const module = new URL('../fixtures/foreign-bytes.ts', import.meta.url);
const HEALTH_MS = 1000;

function create() {
  const clock = createManualClock();
  const dispatcher = createForkDispatcher<Tasks>(module, {
    ...{ max: 1, window: 4, healthMs: HEALTH_MS, clock },
    execArgv: ['--conditions=@ticketing/source'],
  });
  return { clock, dispatcher };
}

test('a worker that announces a message of 512 MiB, and goes on, is replaced: its calls are lost, later ones run [worker-bytes]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foreign-bytes-'));
  const path = join(folder, 'message');
  const { clock, dispatcher } = create();
  const before = await dispatcher.run('pid');
  const announced = dispatcher.run('announce', { textBytes: 2 ** 29 - 1, path });
  const lost = expect(announced).rejects.toMatchObject({
    code: 'ERR_WORKER_LOST',
    cause: { message: 'Cannot read messages: the end of one is missing' },
  });
  // A worker that has not begun, and does not answer a check, is replaced like a hanging one.
  await until(() => existsSync(`${path}.announced`), 'the beginning of the message');
  // Each check asks; the answer is one more part of the message.
  await until(async () => {
    clock.advance(HEALTH_MS);
    await turns();
    return dispatcher.stats().lost === 1;
  }, 'the end of the worker');
  await lost;
  expect(await dispatcher.run('pid')).not.toBe(before);
  await dispatcher.close();
  rmSync(folder, { recursive: true });
});

test('a worker that has no time to write the rest of a large answer is left alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foreign-bytes-'));
  const { clock, dispatcher } = create();
  await dispatcher.ready();
  // More than both the pipe and the file for large messages have room for.
  const bytes = 5 * 1024 * 1024;
  const path = join(folder, 'go-on');
  const calls = [dispatcher.run('bytes', bytes), dispatcher.run('block', path)] as const;
  await until(() => existsSync(`${path}.began`), 'the task that blocks');
  for (let check = 0; check < 5; check += 1) {
    clock.advance(HEALTH_MS);
    await turns(10);
  }
  writeFileSync(path, '');
  expect((await calls[0]).byteLength).toBe(bytes);
  expect(await calls[1]).toBe('went on');
  expect(dispatcher.stats()).toMatchObject({ lost: 0, recycled: 0 });
  await dispatcher.close();
  rmSync(folder, { recursive: true });
});
