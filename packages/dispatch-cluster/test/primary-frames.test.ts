import { createDispatcher } from '@ticketing/dispatch/transport';
import { expect, test } from 'vitest';
import { createPrimaryTransport } from '../src/primary/primary-dispatcher.ts';
import { isToPrimary } from '../src/primary/primary-messages.ts';
import { PrimarySessions } from '../src/primary/primary-sessions.ts';
import { makeTasks } from './fixtures/primary-tasks.ts';

type Tasks = ReturnType<typeof makeTasks>['module']['tasks'];

test('frames of the primary that cannot be read end the session, and another is opened [checked-frames]', async () => {
  const { seen, module } = makeTasks();
  const sessions = new PrimarySessions(module);
  const sent: string[] = [];
  let isGarbled = false;
  let hear = (_: unknown): void => {};
  const transport = createPrimaryTransport({
    pid: process.pid,
    send(message) {
      sent.push(message.act);
      if (!isToPrimary(message)) return;
      const answer = (answered: unknown) => {
        const garbled = { ...(answered as object), message: ['[0,99,1,0,0]'] };
        setImmediate(() => hear(isGarbled ? garbled : answered));
      };
      sessions.receive({ workerId: 1, send: answer }, message);
    },
    listen(listener) {
      hear = listener;
      return () => void sessions.close();
    },
  });
  await using dispatcher = createDispatcher<Tasks>(transport, { max: 1 });
  expect(await dispatcher.run('search', 'A to B')).toBe('found A to B 1');
  isGarbled = true;
  const lost = dispatcher.run('search', 'A to C');
  await expect(lost).rejects.toMatchObject({
    code: 'ERR_WORKER_LOST',
    cause: { message: 'Cannot read a frame: it must have a code of this version, got 99' },
  });
  isGarbled = false;
  expect(await dispatcher.run('search', 'A to D')).toBe('found A to D 3');
  expect(seen.runs).toBe(3);
  expect(sent.filter((act) => act === 'open' || act === 'close')).toEqual([
    'open',
    'close',
    'open',
  ]);
});
