import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChildAnswer } from './child-messages.ts';
import type { Call } from './way.ts';

/** A child process of this experiment. */
export interface CarrierChild {
  run(call: Call): Promise<unknown>;
  /** Disconnects, which ends the child, and waits for its exit. */
  close(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('child.ts', import.meta.url));

/** Forks a child, as the platform offers it: one JSON message per task. */
export function forkChild(): CarrierChild {
  const child: ChildProcess = fork(PROGRAM);
  const exit = once(child, 'exit');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  child.on('message', (answer: ChildAnswer) => {
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) call?.reject(new Error(answer.error));
    else call?.resolve(answer.result);
  });
  child.on('exit', () => {
    for (const call of waiting.values()) call.reject(new Error('The child has ended'));
    waiting.clear();
  });
  return {
    run(call) {
      const answer = Promise.withResolvers<unknown>();
      last += 1;
      waiting.set(last, answer);
      child.send({ id: last, call });
      return answer.promise;
    },
    async close() {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}
