import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { nextMessage } from '../src/index.ts';

function start(...args: string[]): ChildProcess {
  const child = fork(new URL('fixtures/answering.mjs', import.meta.url), args);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('nextMessage() resolves with what a process sends, each time it is asked', async () => {
  const child = start();
  for (const text of ['one', 'two']) {
    const answer = nextMessage(child);
    child.send(text);
    expect(await answer).toBe(`${text}!`);
  }
  expect([child.listenerCount('message'), child.listenerCount('exit')]).toEqual([0, 0]);
});

test('nextMessage() of a process that ends first rejects with how it ended', async () => {
  const child = start('7');
  await expect(nextMessage(child)).rejects.toThrow('Cannot measure: a process ended with 7');
  const killed = start();
  await once(killed, 'spawn');
  const answer = nextMessage(killed);
  killed.kill('SIGKILL');
  await expect(answer).rejects.toThrow('Cannot measure: a process ended with SIGKILL');
});
