import { expect, test } from 'vitest';
import { Outbox } from '../../src/process/frame-pipe.ts';
import { MessageStream } from '../../src/process/message-stream.ts';
import type { WireMessage } from '../../src/wire/wire-message.ts';

const message = (cells: string): WireMessage => [cells];

function fakeProcess() {
  const callbacks: ((error?: Error | null) => void)[] = [];
  const messages: string[] = [];
  const exits: number[] = [];
  return {
    callbacks,
    messages,
    exits,
    write(data: string | Uint8Array, written: (error?: Error | null) => void) {
      const stream = new MessageStream(([cells]) => messages.push(cells));
      stream.push(typeof data === 'string' ? Buffer.from(data, 'latin1') : Buffer.from(data));
      callbacks.push(written);
    },
    exit: (code: number) => exits.push(code),
  };
}

test('exit() waits for posted messages', () => {
  const host = fakeProcess();
  const outbox = new Outbox(host);
  outbox.post(message('one'));
  outbox.post(message('two'));
  outbox.exit(3);
  host.callbacks[0]?.(null);
  expect(host.exits).toEqual([]);
  host.callbacks[1]?.(null);
  expect(host).toMatchObject({ messages: ['one', 'two'], exits: [3] });
});

test('exit() exits at once if nothing is posted, or everything is written', () => {
  const host = fakeProcess();
  const outbox = new Outbox(host);
  outbox.post(message('one'));
  host.callbacks[0]?.(null);
  outbox.exit(0);
  expect(host.exits).toEqual([0]);
});

test('a failed channel does not prevent the exit', () => {
  const host = fakeProcess();
  const outbox = new Outbox(host);
  outbox.post(message('one'));
  outbox.exit(1);
  host.callbacks[0]?.(new Error('EPIPE'));
  expect(host.exits).toEqual([1]);
});

test('the first exit code counts', () => {
  const { exits, ...host } = fakeProcess();
  const outbox = new Outbox(host);
  outbox.post(message('one'));
  outbox.exit(4);
  outbox.exit(5);
  host.callbacks[0]?.(null);
  expect(exits).toEqual([4]);
});

test('a message that is too large throws, and does not prevent the exit', () => {
  const { exits, messages, ...host } = fakeProcess();
  const outbox = new Outbox(host);
  const body = { byteLength: 2 ** 32 } as Uint8Array;
  expect(() => outbox.post(['[0]', body])).toThrow('it is too large');
  outbox.exit(0);
  expect([messages, exits]).toEqual([[], [0]]);
});
