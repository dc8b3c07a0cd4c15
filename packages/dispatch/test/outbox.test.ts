import { expect, test } from 'vitest';
import { createOutbox } from '../src/process/serve-process.ts';

function fakeProcess() {
  const callbacks: ((error: Error | null) => void)[] = [];
  const messages: unknown[] = [];
  const exits: number[] = [];
  return {
    callbacks,
    messages,
    exits,
    send(message: unknown, sent: (error: Error | null) => void) {
      messages.push(message);
      callbacks.push(sent);
    },
    exit: (code: number) => exits.push(code),
  };
}

test('exit() waits for posted messages', () => {
  const host = fakeProcess();
  const outbox = createOutbox(host);
  outbox.post('one');
  outbox.post('two');
  outbox.exit(3);
  host.callbacks[0]?.(null);
  expect(host.exits).toEqual([]);
  host.callbacks[1]?.(null);
  expect(host).toMatchObject({ messages: ['one', 'two'], exits: [3] });
});

test('exit() exits at once if nothing is posted, or everything is written', () => {
  const host = fakeProcess();
  const outbox = createOutbox(host);
  outbox.post('one');
  host.callbacks[0]?.(null);
  outbox.exit(0);
  expect(host.exits).toEqual([0]);
});

test('a failed channel does not prevent the exit', () => {
  const host = fakeProcess();
  const outbox = createOutbox(host);
  outbox.post('one');
  outbox.exit(1);
  host.callbacks[0]?.(new Error('EPIPE'));
  expect(host.exits).toEqual([1]);
});

test('the first exit code counts, and a process without a channel exits', () => {
  const { exits, exit } = fakeProcess();
  const outbox = createOutbox({ exit });
  outbox.post('nobody');
  outbox.exit(4);
  outbox.exit(5);
  expect(exits[0]).toBe(4);
});

test('replacements of send and exit by a task are not called', () => {
  const host = fakeProcess();
  const outbox = createOutbox(host);
  Object.assign(host, { send: () => {}, exit: () => {} });
  outbox.post('one');
  outbox.exit(2);
  host.callbacks[0]?.(null);
  expect(host).toMatchObject({ messages: ['one'], exits: [2] });
});

test('a message that cannot be cloned throws, and does not prevent the exit', () => {
  const { exits, exit } = fakeProcess();
  const send = () => {
    throw new Error('not cloneable');
  };
  const outbox = createOutbox({ exit, send });
  expect(() => outbox.post(() => {})).toThrow('not cloneable');
  outbox.exit(0);
  expect(exits).toEqual([0]);
});
