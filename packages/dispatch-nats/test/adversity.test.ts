import {
  createInProcessDispatcher,
  DispatchError,
  defineTasks,
  type RunOptions,
  systemClock,
  type TaskContext,
} from '@ticketing/dispatch';
import { turns, until } from '@ticketing/test-kit';
import { afterEach, expect, it } from 'vitest';
import { createNatsDispatcher, type NatsHost, serveNatsTasks } from '../src/index.ts';
import { serveJson } from '../src/json/index.ts';
import { MessageReader } from '../src/link/session-message.ts';
import { createMemoryNats } from './memory-nats.ts';
import { watchWarnings } from './warnings.ts';

const nats = createMemoryNats({ clock: systemClock, random: Math.random });
const warnings = watchWarnings();
const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
  expect([...nats.thrown, ...warnings.seen]).toEqual([]);
  expect(nats.subscriptions).toBe(0);
});

type Tasks = { where: (input?: unknown) => string };

/** Starts a host whose task returns the name of the host. */
async function serve(
  fleet: string,
  name: string,
  options: { maxSessions?: number } = {},
): Promise<NatsHost> {
  const local = createInProcessDispatcher<Tasks>(defineTasks({ where: () => name }));
  const connection = nats.connect();
  const host = serveNatsTasks<Tasks>({
    nats: connection,
    fleet,
    dispatcher: local,
    tasks: ['where'],
    hostId: 'same',
    ...options,
  });
  opened.push(local, host);
  await host.ready();
  return host;
}

function call(fleet: string, name = 'caller') {
  const dispatcher = createNatsDispatcher<Tasks>({
    nats: nats.connect(),
    fleet,
    name,
    // A busy machine may be silent for seconds.
    missedBeats: 40,
  });
  opened.push(dispatcher);
  return dispatcher;
}

it('a connection that is lent keeps nothing of those who used it', async () => {
  const [ofHost, ofDispatcher] = [nats.connect(), nats.connect()];
  const local = createInProcessDispatcher<Tasks>(defineTasks({ where: () => 'here' }));
  const host = serveNatsTasks<Tasks>({
    nats: ofHost,
    fleet: 'lent',
    dispatcher: local,
    tasks: ['where'],
    json: serveJson,
  });
  const dispatcher = createNatsDispatcher<Tasks>({
    nats: ofDispatcher,
    fleet: 'lent',
    missedBeats: 40,
  });
  expect(await dispatcher.run('where', 1)).toBe('here');
  for (const each of [dispatcher, host, local]) await each.close();
  await turns();
  for (const each of [ofHost, ofDispatcher]) {
    expect({ closed: each.isClosed(), kept: each.listeners + each.subscriptions }).toEqual({
      closed: false,
      kept: 0,
    });
    await each.close();
  }
});

it('two fleets on one server run their own tasks alone', async () => {
  await Promise.all([serve('red', 'red host'), serve('blue', 'blue host')]);
  const [red, blue] = [call('red'), call('blue')];
  for (let round = 0; round < 20; round += 1) {
    expect(await Promise.all([red.run('where', 1), blue.run('where', 1)])).toEqual([
      'red host',
      'blue host',
    ]);
  }
  expect(red.fleet().hosts).toHaveLength(1);
  expect(blue.fleet().hosts).toHaveLength(1);
});

it('hosts and dispatchers of equal names are different ones', async () => {
  const hosts = await Promise.all(['one', 'two', 'three'].map((name) => serve('equal', name)));
  expect(new Set(hosts.map(({ id }) => id)).size).toBe(3);
  const dispatchers = [call('equal'), call('equal')];
  for (const dispatcher of dispatchers) {
    await until(
      () => dispatcher.stats().workers.filter(({ state }) => state === 'ready').length === 3,
    );
    const answers = await Promise.all(Array.from({ length: 60 }, () => dispatcher.run('where', 1)));
    expect(new Set(answers)).toEqual(new Set(['one', 'two', 'three']));
  }
  const asked = hosts.reduce((sum, host) => sum + host.stats().asked, 0);
  expect(asked).toBe(120);
  expect(hosts.map((host) => host.stats().sessions.length)).toEqual([2, 2, 2]);
});

it('a host has maxSessions dispatchers; one more is refused, and uses another', async () => {
  const first = await serve('many', 'first', { maxSessions: 24 });
  const dispatchers = Array.from({ length: 24 }, (_, index) => call('many', `d${index}`));
  const answers = await Promise.all(dispatchers.map((each) => each.run('where', 1)));
  expect(new Set(answers)).toEqual(new Set(['first']));
  expect(first.stats().sessions).toHaveLength(24);
  const late = call('many', 'late');
  const answer = late.run('where', 1);
  await until(() => first.stats().refused.full > 0);
  await serve('many', 'second');
  expect(await answer).toBe('second');
  expect(first.stats().sessions).toHaveLength(24);
});

it('pieces without end are refused before they take more memory than a message may', () => {
  const maxBytes = 1024 * 1024;
  const reader = new MessageReader(maxBytes);
  const head = { flags: 0, seq: 1, received: 0 };
  const chunk = new Uint8Array(64 * 1024);
  let pieces = 0;
  const feed = () => {
    for (; pieces < 1e6; pieces += 1)
      reader.add(chunk.subarray(pieces % 1000, (pieces % 1000) + 13), head);
  };
  expect(feed).toThrow(/too many pieces/);
  expect(pieces).toBeLessThanOrEqual(maxBytes / 256);
  expect(() => new MessageReader(1024).add(new Uint8Array(1037), head)).toThrow(/too large/);
});

it('a call that a host loses with a worker of its own has its next attempt, if it may run twice', async () => {
  const tasks = defineTasks({ attempt: (_: unknown, context: TaskContext) => context.attempt });
  const local = createInProcessDispatcher(tasks, { name: 'pool' });
  const run = local.run.bind(local);
  /** Names of the dispatchers that lose a call, in turn. */
  const losers: string[] = [];
  const dispatcher = Object.assign(local, {
    run(task: 'attempt', input: unknown, options?: RunOptions) {
      const name = losers.shift();
      if (name === undefined) return run(task, input, options);
      return Promise.reject(new DispatchError('ERR_WORKER_LOST', 'Gone', { data: { name } }));
    },
  });
  const names = { fleet: 'losing', tasks: ['attempt'] as const };
  const host = serveNatsTasks({ nats: nats.connect(), ...names, dispatcher });
  const caller = createNatsDispatcher<typeof tasks.tasks>({
    nats: nats.connect(),
    missedBeats: 40,
    ...names,
  });
  opened.push(local, host, caller);
  const mayRunTwice = { idempotent: true, retries: 2 };
  expect(await caller.run('attempt', 0)).toBe(1);
  losers.push('pool', 'pool');
  expect(await caller.run('attempt', 0, mayRunTwice)).toBe(3);
  losers.push('pool', 'pool', 'pool');
  await expect(caller.run('attempt', 0, mayRunTwice)).rejects.toThrow('Gone');
  losers.push('pool');
  await expect(caller.run('attempt', 0)).rejects.toThrow('Gone');
  // The loss of a call that the task itself made is an error like any other.
  losers.push('another');
  await expect(caller.run('attempt', 0, mayRunTwice)).rejects.toThrow('Gone');
  const { lost, retried, rejected, failed } = caller.stats();
  expect({ lost, retried, rejected, failed }).toEqual({
    lost: 0,
    retried: 4,
    rejected: 2,
    failed: 1,
  });
  expect(host.stats().running).toBe(0);
});
