// The commands of each step, and how replies are read: by a client without a server.
import type { LeaseStore } from '@ticketing/batching/shared';
import { describe, expect, test, vi } from 'vitest';
import type { ScriptingClient } from '../src/redis-client.ts';
import { createRedisStore } from '../src/redis-store.ts';
import * as scripts from '../src/scripts.ts';
import { FakeClient } from './fake-client.ts';

const names = ['v', 'l', 'f', 'w'].map((each) => `tt:{key}:${each}`);
const fence = 1_700_000_000_000_000;
const fenceText = '1700000000000000';
const channel = 'tt:{key}:c';

function open(client = new FakeClient()): { client: FakeClient; store: LeaseStore } {
  return { client, store: createRedisStore(client as unknown as ScriptingClient, 'tt') };
}

/** A store whose client gives this reply to each script. */
function replying(reply: unknown): ReturnType<typeof open> {
  const client = new FakeClient();
  client.replies['evalsha'] = () => Promise.resolve(reply);
  return open(client);
}

const claim = {
  token: 'me',
  leaseMs: 1000.2,
  after: undefined,
  outdated: undefined,
  renew: false,
  waiter: 'process',
};
const record = Buffer.from('the record of some bytes').subarray(4, 10);

const steps: Record<
  string,
  [step: (store: LeaseStore) => Promise<unknown>, script: scripts.Script, values: unknown[]]
> = {
  claim: [
    (store) => store.claim('key', claim),
    scripts.claimScript,
    ['me', 1001, '', 0, 'process', ''],
  ],
  'claim after a load, to renew, without an outdated record': [
    (store) => store.claim('key', { ...claim, after: 7, outdated: 8, renew: true }),
    scripts.claimScript,
    ['me', 1001, '0000000000000007', 1, 'process', '0000000000000008'],
  ],
  renew: [
    (store) => store.renew('key', { token: 'me', fence, leaseMs: 999.5 }),
    scripts.renewScript,
    ['me', fenceText, 1000],
  ],
  finish: [
    (store) => store.finish('key', { token: 'me', fence, record, lifeMs: 5.1 }),
    scripts.finishScript,
    ['PUBLISH', channel, fenceText, Buffer.from('record'), 6],
  ],
  release: [
    (store) => store.release('key', { token: 'me' }),
    scripts.releaseScript,
    ['PUBLISH', channel, 'me'],
  ],
  forget: [(store) => store.forget('key'), scripts.forgetScript, ['PUBLISH', channel]],
  waiters: [(store) => store.waiters('key'), scripts.waitersScript, []],
  leave: [(store) => store.leave('key', 'process'), scripts.leaveScript, ['process']],
};

const noScript = () => Promise.reject(new Error('NOSCRIPT No matching script'));
const lease = [Buffer.from(fenceText)];

describe.each(Object.entries(steps))('%s', (_name, [step, script, values]) => {
  test('is one script by its digest', async () => {
    const { client, store } = replying(lease);
    await step(store);
    expect(client.take()).toEqual([['evalsha', script.sha, 4, ...names, ...values]]);
  });

  test('is sent whole to a server that does not know the script', async () => {
    const { client, store } = open();
    client.replies['evalsha'] = noScript;
    client.replies['eval'] = () => Promise.resolve(lease);
    await step(store);
    expect(client.take()).toEqual([
      ['evalsha', script.sha, 4, ...names, ...values],
      ['eval', script.source, 4, ...names, ...values],
    ]);
  });

  test.each([new Error('READONLY You cannot write: NOSCRIPT'), { message: 'NOSCRIPT' }])(
    'is not sent again after another failure: %o',
    async (error) => {
      const { client, store } = open();
      client.replies['evalsha'] = () => Promise.reject(error);
      await expect(step(store)).rejects.toBe(error);
      expect(client.take()).toHaveLength(1);
    },
  );

  test.each(['connecting', 'reconnecting', 'close', 'end'])(
    'is not sent over a client that is not connected (%s)',
    async (status) => {
      const { client, store } = replying(lease);
      client.status = status;
      await expect(step(store)).rejects.toThrow(`the client is not connected (${status})`);
      expect(client.sent).toEqual([]);
    },
  );

  test('is sent over a client that connects when it is first used', async () => {
    const { client, store } = replying(lease);
    client.status = 'wait';
    await step(store);
    expect(client.sent).toHaveLength(1);
  });
});

/** Integers as a client gives them: as numbers, as texts, as bytes. */
const integers: [string, (value: number) => unknown][] = [
  ['numbers', (value) => value],
  ['texts', String],
  ['bytes', (value) => Buffer.from(String(value))],
];

describe.each(integers)('integers as %s', (_name, integer) => {
  test.each([
    [1, true],
    [0, false],
  ])('%i of a renewal and of an end is %s', async (number, isDone) => {
    const { store } = replying(integer(number));
    expect(await store.renew('key', { token: 'me', fence, leaseMs: 1 })).toBe(isDone);
    expect(await store.finish('key', { token: 'me', fence, record, lifeMs: 1 })).toBe(isDone);
  });

  test('a number of waiters is a number', async () => {
    expect(await replying(integer(3)).store.waiters('key')).toBe(3);
    expect(await replying(integer(0)).store.waiters('key')).toBe(0);
  });

  test('a lease that was won, a record, and a lease of another are told apart', async () => {
    const [first] = lease as [Buffer];
    expect(await replying([first]).store.claim('key', claim)).toEqual({ kind: 'won', fence });
    expect(await replying([record, integer(-5)]).store.claim('key', claim)).toEqual({
      kind: 'record',
      record,
      leftMs: -5,
    });
    const held = [first, integer(1500), Buffer.from('held')];
    expect(await replying(held).store.claim('key', claim)).toEqual({
      kind: 'held',
      fence,
      leftMs: 1500,
    });
  });
});

test('a cluster whose messages are of the nodes of a key publishes there', async () => {
  const client = new FakeClient({ isCluster: true, options: { shardedSubscribers: true } });
  const { store } = open(client);
  await store.forget('key');
  expect(client.take()).toEqual([
    ['evalsha', scripts.forgetScript.sha, 4, ...names, 'SPUBLISH', channel],
  ]);
  const wake = vi.fn();
  store.listen('key', wake);
  expect(client.take()).toEqual([['ssubscribe', channel]]);
  client.emit('smessage', channel, '');
  expect(wake).toHaveBeenCalledTimes(1);
});

describe('forgotten tags', () => {
  const table = 'tt:{users}:t';

  test('are a script each, on a key of the name', async () => {
    const { client, store } = replying([Buffer.from('7'), []]);
    await store.forgetTag('users', 'red');
    await store.forgottenTags('users', 7);
    expect(client.take()).toEqual([
      ['evalsha', scripts.forgetTagScript.sha, 1, table, 'red'],
      ['evalsha', scripts.forgottenTagsScript.sha, 1, table, 7],
    ]);
  });

  test('are sent whole to a server that does not know the script', async () => {
    const { client, store } = open();
    client.replies['evalsha'] = noScript;
    client.replies['eval'] = () => Promise.resolve(1);
    expect(await store.forgetTag('users', 'red')).toBeUndefined();
    expect(client.take()[1]).toEqual(['eval', scripts.forgetTagScript.source, 1, table, 'red']);
  });

  test('are read from a flat list, without the floor as a member', async () => {
    const list = ['', '5', 'red', '7', 'green', '6'].map((each) => Buffer.from(each));
    const { store } = replying([Buffer.from('5'), list]);
    const tags = [
      ['red', 7],
      ['green', 6],
    ];
    expect(await store.forgottenTags('users', 0)).toEqual({ floor: 5, tags });
  });
});

test('release, forget and leave resolve with nothing', async () => {
  const { store } = replying(1);
  expect(await store.release('key', { token: 'me' })).toBeUndefined();
  expect(await store.forget('key')).toBeUndefined();
  expect(await store.leave('key', 'process')).toBeUndefined();
});

test('the return of the connection is reported until close(), which leaves the client as it was', async () => {
  const client = new FakeClient();
  const { store } = open(client);
  const returned = vi.fn();
  store.onReturn(returned);
  client.emit('ready');
  expect(returned).toHaveBeenCalledTimes(1);
  store.listen('key', vi.fn());
  await store.close();
  client.emit('ready');
  expect(returned).toHaveBeenCalledTimes(1);
  expect(client.listening).toEqual({});
  expect(client.disconnects).toBe(0);
  expect(client.duplicates[0]?.client.disconnects).toBe(1);
});
