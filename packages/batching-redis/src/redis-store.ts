import {
  type ForgottenAnswer,
  fenceText,
  type LeaseStore,
  type StoreReply,
} from '@ticketing/batching/shared';
import { createKeyMessages } from './key-messages.ts';
import type { ScriptingClient } from './redis-client.ts';
import {
  claimScript,
  finishScript,
  forgetScript,
  forgetTagScript,
  forgottenTagsScript,
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
    { keys, read }: { readonly keys: readonly string[]; readonly read: (reply: unknown) => T },
    ...values: Argument[]
  ): Promise<T> {
    // A client without a connection would keep the command, and send it when no caller is waiting.
    if (client.status !== 'ready' && client.status !== 'wait') {
      return Promise.reject(new Error(`the client is not connected (${client.status})`));
    }
    return client.evalshaBuffer(script.sha, keys.length, ...keys, ...values).then(read, (error) => {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return client.evalBuffer(script.source, keys.length, ...keys, ...values).then(read);
    });
  }

  /** The keys of a script, all in one slot of a cluster. */
  const of = <T>(key: string, read: (reply: unknown) => T) => ({
    keys: ['v', 'l', 'f', 'w'].map((each) => `${prefix}:{${key}}:${each}`),
    read,
  });
  const ofGroup = <T>(name: string, read: (reply: unknown) => T) => ({
    keys: [`${prefix}:{${name}}:t`],
    read,
  });
  const channelOf = (key: string): string => `${prefix}:{${key}}:c`;

  return {
    claim(key, { token, leaseMs, after, outdated, renew, waiter }) {
      const [first, gone] = [after, outdated].map((fence) =>
        fence === undefined ? '' : fenceText(fence),
      ) as [string, string];
      const lease = [token, Math.ceil(leaseMs)] as const;
      return run(claimScript, of(key, replyOf), ...lease, first, renew ? 1 : 0, waiter, gone);
    },
    renew: (key, { token, fence, leaseMs }) =>
      run(renewScript, of(key, isOne), token, fenceText(fence), Math.ceil(leaseMs)),
    finish: (key, { fence, record, lifeMs }) =>
      run(
        finishScript,
        of(key, isOne),
        ...[messages.publish, channelOf(key), fenceText(fence)],
        Buffer.from(record.buffer, record.byteOffset, record.byteLength),
        Math.ceil(lifeMs),
      ),
    release: (key, { token }) =>
      run(releaseScript, of(key, nothing), messages.publish, channelOf(key), token),
    forget: (key) => run(forgetScript, of(key, nothing), messages.publish, channelOf(key)),
    forgetTag: (group, tag) => run(forgetTagScript, ofGroup(group, nothing), tag),
    forgottenTags: (group, since) => run(forgottenTagsScript, ofGroup(group, forgottenOf), since),
    waiters: (key) => run(waitersScript, of(key, Number)),
    leave: (key, waiter) => run(leaveScript, of(key, nothing), waiter),
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

/** The floor, and a list of tags and times; the floor is a member of its own among them. */
function forgottenOf(reply: unknown): ForgottenAnswer {
  const [floor, list] = reply as [unknown, readonly unknown[]];
  const tags: [string, number][] = [];
  for (let place = 0; place < list.length; place += 2) {
    const tag = String(list[place]);
    if (tag !== '') tags.push([tag, Number(list[place + 1])]);
  }
  return { floor: Number(floor), tags };
}

/** A record has two parts, a lease one, and that of another three. */
function replyOf(reply: unknown): StoreReply {
  const [first, left, held] = reply as [Buffer, unknown, unknown];
  if (left === undefined) return { kind: 'won', fence: Number(first) };
  const leftMs = Number(left);
  if (held === undefined) return { kind: 'record', record: first, leftMs };
  return { kind: 'held', fence: Number(first), leftMs };
}
