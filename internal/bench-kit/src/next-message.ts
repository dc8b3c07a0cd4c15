import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Resolves with the next message of a process.
 *
 * @throws Error if the process ends first
 */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(([code, reason]): never => {
    throw new Error(`Cannot measure: a process ended with ${reason ?? code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message as Message;
  } finally {
    // The one that lost the race is no longer waited for.
    ended.catch(() => {});
    over.abort();
  }
}
