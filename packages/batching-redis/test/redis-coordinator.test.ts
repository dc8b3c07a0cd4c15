import { canonicalKey } from '@ticketing/batching';
import {
  createManualClock,
  type EngineServer,
  engineProgram,
  startRedisServer,
  until,
} from '@ticketing/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { StandaloneClient } from '../src/index.ts';
import { CLIENT_NAMES, CLIENTS, deferred, join, type Member } from './clients.ts';

// One of its own: these tests count commands, and end connections of all.
const hasRedis = engineProgram('redis') !== undefined;
let server: EngineServer | undefined;
beforeAll(async () => {
  if (hasRedis) server = await startRedisServer();
});
afterAll(() => server?.close());

const open: AsyncDisposable[] = [];
let keys = 0;
/** A key that no other test has. */
const newKey = () => `key ${process.pid} ${++keys}`;

afterEach(async () => {
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]();
});

describe.skipIf(!hasRedis).each(CLIENT_NAMES)('%s', (name) => {
  const connect = (options: object = {}) => CLIENTS[name](server?.url ?? '', options);
  const member = async (
    ...rest: Parameters<typeof join> extends [unknown, ...infer R] ? R : never
  ) => {
    const joined = await join(() => connect(), ...rest);
    open.push(joined);
    return joined;
  };

  /** Scripts that the server has run. */
  async function commandsOf(client: Member['client']): Promise<number> {
    const info = String(await client.call('INFO', 'commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
  }

  test('three processes load a key once, and a kept value is one round trip for a fourth', async () => {
    const key = newKey();
    let loads = 0;
    const held = deferred();
    const load = () => {
      loads += 1;
      return held.promise;
    };
    const members = await Promise.all([1, 2, 3].map(() => member(load, { ttlMs: 60_000 })));
    const answers = members.map(({ values }) => values.get(key));
    await until(
      () => members.reduce((sum, { coordinator }) => sum + coordinator.stats().waiting, 0) === 2,
    );
    held.resolve('value');
    expect(await Promise.all(answers)).toEqual(['value', 'value', 'value']);
    expect(loads).toBe(1);
    const late = await member(load, { ttlMs: 60_000, refresh: 0 });
    expect(await late.values.get(key)).toBe('value');
    expect(late.coordinator.stats()).toMatchObject({ claims: 1, values: 1 });
  });

  test('a tag that one process forgets is forgotten by all; a lost list of such tags forgets every value with tags', async () => {
    const prefix = `t${process.pid}${name}`;
    let loads = 0;
    const load = async (key: string) => `${key} ${++loads}`;
    const options = { ttlMs: 60_000, refresh: 0, coordinating: { prefix } };
    const tags = (value: string) => [`key:${value.slice(0, -2)}`, 'all'];
    const [one, another] = [
      await member(load, { ...options, tags }),
      await member(load, { ...options, tags }),
    ];
    const [a, b] = ['a', 'b'];
    expect([await one.values.get(a), await one.values.get(b)]).toEqual(['a 1', 'b 2']);
    await until(() => one.coordinator.stats().finished === 2);
    expect([await another.values.get(a), await another.values.get(b)]).toEqual(['a 1', 'b 2']);
    await another.load.forgetTag('key:a');
    expect([await one.values.get(a), await one.values.get(b)]).toEqual(['a 3', 'b 2']);
    await until(() => one.coordinator.stats().finished === 3);
    // The name of the loader alone is in it: neither keys nor tags.
    const list = `${prefix}:{test}:t`;
    expect(await one.client.keys(`${prefix}:*:t`)).toEqual([list]);
    const members = (await one.client.call('ZRANGE', list, '0', '-1')) as string[];
    expect(members).toEqual(['', expect.stringMatching(/^[\w-]{22}$/)]);
    expect(Number(await one.client.call('PTTL', list))).toBeGreaterThan(6 * 24 * 3_600_000);
    await one.client.call('DEL', list);
    expect([await one.values.get(a), await one.values.get(b)]).toEqual(['a 4', 'b 5']);
    await another.load.forgetTag('all');
    expect(await one.values.get(a)).toBe('a 6');
  });

  test('ten thousand forgotten tags are remembered; above that the oldest outdates all that is as old', async () => {
    const { client, coordinator } = await member(async () => 'value');
    const group = newKey().replaceAll(' ', ':');
    const first = await coordinator.forgottenTags(group, 0);
    for (let start = 0; start <= 10_000; start += 1000) {
      const numbers = Array.from({ length: Math.min(1000, 10_002 - start) }, (_, at) => start + at);
      await Promise.all(numbers.map((number) => coordinator.forgetTag(group, `tag ${number}`)));
    }
    const answer = await coordinator.forgottenTags(group, 0);
    const tags = new Map(answer?.tags);
    expect([tags.size, tags.has('tag 0'), tags.has('tag 1'), tags.has('tag 2')]).toEqual([
      10_000,
      false,
      false,
      true,
    ]);
    expect(answer?.floor).toBeGreaterThan(first?.floor ?? 0);
    expect(answer?.floor).toBeLessThan(Math.min(...tags.values()));
    await client.call('DEL', `tt:{${group}}:t`);
  });

  test('names of keys are of one slot and of bounded length, tell nothing, and expire', async () => {
    const key = newKey();
    const prefix = `p${process.pid}${name}`;
    const { values, client, coordinator } = await member(async () => 'value', {
      ttlMs: 60_000,
      coordinating: { prefix },
    });
    await values.get(key);
    await until(() => coordinator.stats().finished === 1);
    const [one] = await client.keys(`${prefix}:*`);
    expect(one).toMatch(new RegExp(`^${prefix}:\\{test:[\\w-]{22}\\}:[vlfw]$`));
    const found = (await client.keys(`${prefix}:*`)).map((each) => each.slice(-2)).sort();
    expect(found).toEqual([':f', ':v']);
    for (const each of await client.keys(`${prefix}:*`)) {
      expect(await client.call('PTTL', each)).toBeGreaterThan(0);
      expect(each).not.toContain(canonicalKey(key));
    }
    await values.close();
  });

  test('a server that has lost its scripts gets them again', async () => {
    const { values, client, coordinator } = await member(async (key) => key);
    await client.call('SCRIPT', 'FLUSH');
    const key = newKey();
    expect(await values.get(key)).toBe(key);
    await until(() => coordinator.stats().finished === 1);
    expect(coordinator.stats()).toMatchObject({ errors: 0, leases: 1 });
  });

  test.each<[string, object]>([
    ['none', {}],
    [
      'a prefix, and pipelines that it makes by itself',
      { keyPrefix: 'own:', enableAutoPipelining: true },
    ],
    ['integers as texts', { stringNumbers: true }],
    ['no subscriptions by itself', { autoResubscribe: false }],
    ['a limit for commands', { commandTimeout: 60_000 }],
    ['a database', { db: 1 }],
    ['no queue while it connects', { enableOfflineQueue: false }],
  ])('options of the client change nothing: %s', async (_label, options) => {
    const key = newKey();
    const held = deferred();
    // It stands still but for the renewals: no process looks by time, so each is woken by the message.
    const clock = createManualClock();
    const members = await Promise.all(
      [1, 2].map(() =>
        join(
          () => connect(options),
          () => held.promise,
          { clock, ttlMs: 60_000, refresh: 0, leaseMs: 60_000, coordinating: { clock } },
        ),
      ),
    );
    open.push(...members);
    const [leader, waiter] = members as [Member, Member];
    const first = leader.values.get(key);
    await until(() => leader.coordinator.stats().held === 1);
    for (let renewed = 1; renewed <= 3; renewed += 1) {
      clock.advance(20_000);
      await until(() => leader.coordinator.stats().renewed === renewed);
    }
    const second = waiter.values.get(key);
    await until(() => waiter.coordinator.stats().waits === 1);
    held.resolve('value');
    expect(await Promise.all([first, second])).toEqual(['value', 'value']);
    expect(leader.load.stats()).toMatchObject({ led: 1, repeated: 0, local: 0 });
    expect(leader.coordinator.stats()).toMatchObject({ lost: 0, errors: 0 });
    expect(waiter.load.stats()).toMatchObject({ led: 0, followed: 1 });
    // One that waits, and one after the message.
    expect(waiter.coordinator.stats()).toMatchObject({ claims: 2, waits: 1, errors: 0 });
    expect(await waiter.values.get(key)).toBe('value');
    expect(waiter.load.stats()).toMatchObject({ led: 0, kept: 1 });
    await leader.load.forget(key);
    expect(await waiter.values.get(key)).toBe('value');
    expect(waiter.load.stats()).toMatchObject({ led: 1 });
  });

  test('a prefix of the client is one of the keys', async () => {
    const keyPrefix = `own${process.pid}:`;
    const { values, client, coordinator } = await join(
      () => connect({ keyPrefix }),
      async () => 'value',
    ).then((joined) => {
      open.push(joined);
      return joined;
    });
    await values.get(newKey());
    await until(() => coordinator.stats().finished === 1);
    expect(await client.keys(`${keyPrefix}tt:{test:*`)).not.toEqual([]);
  });

  test('one more connection, opened when a caller first waits, for all that wait; close() ends it alone', async () => {
    const held = deferred();
    const joinOne = () =>
      join(
        () => connect(),
        () => held.promise,
      );
    const [one, another] = [await joinOne(), await joinOne()];
    open.push(one, another);
    const subscribers = async (of: Member) => {
      const list = String(await of.client.call('CLIENT', 'LIST', 'TYPE', 'PUBSUB'));
      return list.split('\n').filter((line) => /sub=[1-9]/.test(line)).length;
    };
    await until(async () => (await subscribers(one)) === 0, 'the end of those of other tests');
    const many = Array.from({ length: 50 }, newKey);
    const leading = many.map((key) => one.values.get(key));
    await until(() => one.coordinator.stats().held === 50);
    expect(await subscribers(one)).toBe(0);
    const waiting = many.map((key) => another.values.get(key));
    await until(() => another.coordinator.stats().waiting === 50);
    await until(async () => (await subscribers(one)) === 1);
    held.resolve('value');
    await Promise.all([...leading, ...waiting]);
    await another.coordinator.close();
    await until(async () => (await subscribers(one)) === 0);
    expect(String(await another.client.call('PING'))).toBe('PONG');
    // Without its coordinator it loads by itself.
    expect(await another.values.get(newKey())).toBe('value');
  });

  /** Two members, of which one leads and one waits, and whose time stands still: only a message wakes it, or a connection. */
  async function leaderAndWaiter(options: object = {}, connectWaiter = () => connect(options)) {
    const held = deferred();
    const clock = createManualClock();
    const key = newKey();
    const joinOne = async (connectOne: () => Member['client']): Promise<Member> => {
      const timing = { clock, leaseMs: 60_000, coordinating: { clock } };
      const joined = await join(connectOne, () => held.promise, timing);
      open.push(joined);
      return joined;
    };
    const leader = await joinOne(() => connect(options));
    const waiter = await joinOne(connectWaiter);
    const first = leader.values.get(key);
    await until(() => leader.coordinator.stats().held === 1);
    const second = waiter.values.get(key);
    await until(() => waiter.coordinator.stats().waits === 1);
    return { leader, waiter, key, held, clock, answers: [first, second] as const };
  }

  test('who waits is woken by the message alone: no command until it comes, one after it', async () => {
    const { waiter, held, answers } = await leaderAndWaiter();
    const { client } = waiter;
    const before = await commandsOf(client);
    held.resolve('value');
    expect(await Promise.all(answers)).toEqual(['value', 'value']);
    // The leader's finish, and the waiter's claim.
    expect((await commandsOf(client)) - before).toBe(2);
    expect(waiter.coordinator.stats()).toMatchObject({ waits: 1, waiting: 0 });
    expect(waiter.load.stats()).toMatchObject({ led: 0, followed: 1 });
  });

  test.each<[string, (leader: Member, key: string) => Promise<unknown>]>([
    ['forgets the key', (leader, key) => leader.load.forget(key)],
    ['gives its lease back', (leader) => leader.coordinator.close()],
  ])('who waits is woken at once if the leader %s, and loads', async (_label, end) => {
    const { leader, waiter, key, held, answers } = await leaderAndWaiter();
    await end(leader, key);
    await until(() => waiter.load.stats().led === 1);
    held.resolve('value');
    expect(await Promise.all(answers)).toEqual(['value', 'value']);
  });

  test.each<[string, object]>([
    ['by itself', {}],
    ['without `autoResubscribe`', { autoResubscribe: false }],
  ])(
    'a subscriber that loses its connection and connects again %s: who waits looks again, and messages arrive again',
    async (_label, options) => {
      const { leader, waiter, held, answers } = await leaderAndWaiter(options);
      await leader.client.call('CLIENT', 'KILL', 'TYPE', 'PUBSUB');
      // Once as it was lost, once as it is back.
      await until(() => waiter.coordinator.stats().waits === 3);
      held.resolve('value');
      expect(await Promise.all(answers)).toEqual(['value', 'value']);
      expect(waiter.coordinator.stats().waits).toBe(3);
      expect(waiter.load.stats()).toMatchObject({ led: 0, followed: 1 });
    },
  );

  test('a subscriber that gives up is followed by another once a caller waits', async () => {
    const options = { retryStrategy: () => null };
    const { leader, waiter, held, answers, clock } = await leaderAndWaiter(options);
    await leader.client.call('CLIENT', 'KILL', 'TYPE', 'PUBSUB');
    await until(() => waiter.coordinator.stats().waits === 2);
    const another = newKey();
    const leading = leader.values.get(another);
    await until(() => leader.coordinator.stats().held === 2);
    const waiting = waiter.values.get(another);
    await until(() => waiter.coordinator.stats().waits === 3);
    held.resolve('value');
    expect(await Promise.all([...answers, leading, waiting])).toEqual(Array(4).fill('value'));
    expect(clock.now()).toBe(createManualClock().now());
  });

  test('a message that never arrives: who waits looks again after half a second, not before', async () => {
    const deaf = () => {
      const client = connect();
      const { duplicate } = client;
      const quiet = (override?: object) => {
        const subscriber = duplicate.call(client, override);
        const { on } = subscriber;
        return Object.assign(subscriber, {
          on: (event: string, listener: () => void) =>
            event === 'message' ? subscriber : on.call(subscriber, event, listener),
        });
      };
      return Object.assign(client, { duplicate: quiet as StandaloneClient['duplicate'] });
    };
    const { leader, waiter, held, clock, answers } = await leaderAndWaiter({}, deaf);
    const { claims } = waiter.coordinator.stats();
    held.resolve('value');
    expect(await answers[0]).toBe('value');
    await until(() => leader.coordinator.stats().finished === 1);
    clock.advance(499);
    expect(waiter.coordinator.stats().claims).toBe(claims);
    clock.advance(21);
    expect(await answers[1]).toBe('value');
    expect(waiter.coordinator.stats().claims).toBe(claims + 1);
    expect(waiter.load.stats()).toMatchObject({ led: 0, followed: 1 });
  });

  test('a lone miss is two commands: a claim and a finish', async () => {
    const { values, client, coordinator } = await member(async () => 'value');
    await values.get(newKey());
    await until(() => coordinator.stats().finished === 1);
    const before = await commandsOf(client);
    await values.get(newKey());
    await until(() => coordinator.stats().finished === 2);
    expect((await commandsOf(client)) - before).toBe(2);
    expect(coordinator.stats().claims).toBe(2);
  });
});
