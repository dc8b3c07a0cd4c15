import { fenceText, type LeaseStore, type StoreReply } from '@ticketing/batching/shared';
import { createKeyMessages } from './key-messages.ts';
import type { ScriptingClient } from './redis-client.ts';
import {
  claimScript,
  finishScript,
  forgetScript,
  leaveScript,
  releaseScript,
  renewScript,
  type Script,
  waitersScript,
} from './scripts.ts';

type Argument = string | number | Buffer;

/** Creates a store of leases in Redis or Valkey: each step is one script. */
export function createRedisStore(client: ScriptingClient, prefix: string): LeaseStore {
  const messages = createKeyMessages(client);
  let onReady = (): void => {};

  function run<T>(
    script: Script,
    { key, read }: { readonly key: string; readonly read: (reply: unknown) => T },
    ...values: Argument[]
  ): Promise<T> {
    // A client without a connection would keep the command, and send it when no caller is waiting.
    if (client.status !== 'ready' && client.status !== 'wait') {
      return Promise.reject(new Error(`the client is not connected (${client.status})`));
    }
    const tag = `${prefix}:{${key}}`;
    const keys = [`${tag}:v`, `${tag}:l`, `${tag}:f`, `${tag}:w`];
    return client.evalshaBuffer(script.sha, keys.length, ...keys, ...values).then(read, (error) => {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return client.evalBuffer(script.source, keys.length, ...keys, ...values).then(read);
    });
  }

  const channelOf = (key: string): string => `${prefix}:{${key}}:c`;

  return {
    claim(key, { token, leaseMs, after, renew, waiter }) {
      const fence = after === undefined ? '' : fenceText(after);
      const asked = { key, read: replyOf };
      return run(claimScript, asked, token, Math.ceil(leaseMs), fence, renew ? 1 : 0, waiter);
    },
    renew: (key, { token, fence, leaseMs }) =>
      run(renewScript, { key, read: isOne }, token, fenceText(fence), Math.ceil(leaseMs)),
    finish: (key, { fence, record, lifeMs }) =>
      run(
        finishScript,
        { key, read: isOne },
        ...[messages.publish, channelOf(key), fenceText(fence)],
        Buffer.from(record.buffer, record.byteOffset, record.byteLength),
        Math.ceil(lifeMs),
      ),
    release: (key, { token }) =>
      run(releaseScript, { key, read: nothing }, messages.publish, channelOf(key), token),
    forget: (key) => run(forgetScript, { key, read: nothing }, messages.publish, channelOf(key)),
    waiters: (key) => run(waitersScript, { key, read: Number }),
    leave: (key, waiter) => run(leaveScript, { key, read: nothing }, waiter),
    listen: (key, onWake) => messages.listen(channelOf(key), onWake),
    onReturn(returned) {
      onReady = returned;
      client.on('ready', returned);
    },
    close() {
      client.off('ready', onReady);
      messages.close();
      return Promise.resolve();
    },
  };
}

// A client may give integers as texts (`stringNumbers`).
const isOne = (reply: unknown): boolean => Number(reply) === 1;
const nothing = (): void => {};

/** A record has two parts, a lease one, and that of another three. */
function replyOf(reply: unknown): StoreReply {
  const [first, left, held] = reply as [Buffer, unknown, unknown];
  if (left === undefined) return { kind: 'won', fence: Number(first) };
  const leftMs = Number(left);
  if (held === undefined) return { kind: 'record', record: first, leftMs };
  return { kind: 'held', fence: Number(first), leftMs };
}
