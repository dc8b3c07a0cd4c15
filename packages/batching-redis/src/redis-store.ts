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

  function run(script: Script, key: string, ...values: Argument[]): Promise<unknown> {
    // A client without a connection would keep the command, and send it when nobody waits for it any more.
    if (client.status !== 'ready' && client.status !== 'wait') {
      return Promise.reject(new Error(`the client is not connected (${client.status})`));
    }
    const tag = `${prefix}:{${key}}`;
    const keys = [`${tag}:v`, `${tag}:l`, `${tag}:f`, `${tag}:w`];
    return client.evalshaBuffer(script.sha, keys.length, ...keys, ...values).catch((error) => {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return client.evalBuffer(script.source, keys.length, ...keys, ...values);
    });
  }

  const channelOf = (key: string): string => `${prefix}:{${key}}:c`;

  return {
    claim(key, { token, leaseMs, after, renew, waiter }) {
      const fence = after === undefined ? '' : fenceText(after);
      const lease = Math.ceil(leaseMs);
      return run(claimScript, key, token, lease, fence, renew ? 1 : 0, waiter).then(replyOf);
    },
    renew: async (key, { token, fence, leaseMs }) =>
      (await run(renewScript, key, token, fenceText(fence), Math.ceil(leaseMs))) === 1,
    finish: async (key, { fence, record, lifeMs }) =>
      (await run(
        finishScript,
        key,
        messages.publish,
        channelOf(key),
        fenceText(fence),
        Buffer.from(record.buffer, record.byteOffset, record.byteLength),
        Math.ceil(lifeMs),
      )) === 1,
    async release(key, { token }) {
      await run(releaseScript, key, messages.publish, channelOf(key), token);
    },
    async forget(key) {
      await run(forgetScript, key, messages.publish, channelOf(key));
    },
    waiters: async (key) => Number(await run(waitersScript, key)),
    async leave(key, waiter) {
      await run(leaveScript, key, waiter);
    },
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

/** A record has two parts, a lease one, and that of another three. */
function replyOf(reply: unknown): StoreReply {
  const [first, left, held] = reply as [Buffer, number?, Buffer?];
  if (left === undefined) return { kind: 'won', fence: Number(first.toString('latin1')) };
  if (held === undefined) return { kind: 'record', record: first, leftMs: left };
  return { kind: 'held', fence: Number(first.toString('latin1')), leftMs: left };
}
