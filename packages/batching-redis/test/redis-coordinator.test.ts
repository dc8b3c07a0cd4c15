import { canonicalKey } from '@ticketing/batching';
import { type EngineServer, engineProgram, startRedisServer, until } from '@ticketing/test-kit';
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

  test('a prefix of the client, and pipelines that it makes by itself, change nothing', async () => {
    const key = newKey();
    const held = deferred();
    const options = { keyPrefix: 'own:', enableAutoPipelining: true };
    const members = await Promise.all(
      [1, 2].map(() =>
        join(
          () => connect(options),
          () => held.promise,
        ),
      ),
    );
    open.push(...members);
    const answers = members.map(({ values }) => values.get(key));
    await until(() => members.some(({ coordinator }) => coordinator.stats().waiting === 1));
    held.resolve('value');
    const startedAt = performance.now();
    expect(await Promise.all(answers)).toEqual(['value', 'value']);
    // By the message: the lease would have run out after two seconds.
    expect(performance.now() - startedAt).toBeLessThan(1500);
    expect(await members[0]?.client.keys('own:tt:{test:*')).not.toEqual([]);
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

  test('a subscriber that loses its connection: who waits looks again, and messages arrive again', async () => {
    const held = deferred();
    const [leader, waiter] = [await member(() => held.promise), await member(() => held.promise)];
    const key = newKey();
    const first = leader.values.get(key);
    await until(() => leader.coordinator.stats().held === 1);
    const second = waiter.values.get(key);
    await until(() => waiter.coordinator.stats().waiting === 1);
    const { waits } = waiter.coordinator.stats();
    await leader.client.call('CLIENT', 'KILL', 'TYPE', 'PUBSUB');
    await until(() => waiter.coordinator.stats().waits >= waits + 2);
    held.resolve('value');
    expect(await Promise.all([first, second])).toEqual(['value', 'value']);
    expect(waiter.load.stats()).toMatchObject({ led: 0, followed: 1 });
  });

  test('a message that never arrives: who waits looks again, and has the value', async () => {
    const held = deferred();
    const leader = await member(() => held.promise, { leaseMs: 300 });
    const deaf = await join(
      () => {
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
      },
      () => held.promise,
      { leaseMs: 300 },
    );
    open.push(deaf);
    const key = newKey();
    const first = leader.values.get(key);
    await until(() => leader.coordinator.stats().held === 1);
    const second = deaf.values.get(key);
    await until(() => deaf.coordinator.stats().waits >= 1);
    held.resolve('value');
    expect(await Promise.all([first, second])).toEqual(['value', 'value']);
    expect(deaf.load.stats()).toMatchObject({ led: 0, followed: 1 });
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
