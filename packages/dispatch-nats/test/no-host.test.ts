import { createInProcessDispatcher, type DispatchError, defineTasks } from '@ticketing/dispatch';
import { createManualClock, type ManualClock, turns } from '@ticketing/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { noHost } from '../src/dispatcher/no-host.ts';
import { type Announcement, PROTOCOL, V8_FORMAT } from '../src/fleet/announcement.ts';
import { Fleet } from '../src/fleet/fleet.ts';
import {
  createNatsDispatcher,
  type NatsDispatcher,
  type NatsDispatcherOptions,
  type NatsHost,
  serveNatsTasks,
} from '../src/index.ts';
import { createMemoryNats, type MemoryConnection, type MemoryNats } from './memory-nats.ts';

async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10) {
    clock.advance(Math.min(10, left));
    await turns(3);
  }
}

/** A call, followed. */
function watch(call: Promise<unknown>) {
  const watched: { state: string; value: unknown; error: unknown } = {
    ...{ state: 'pending', value: undefined, error: undefined },
  };
  call.then(
    (value) => Object.assign(watched, { state: 'resolved', value }),
    (error) => Object.assign(watched, { state: 'rejected', error }),
  );
  return watched;
}

interface Closable {
  close(): Promise<unknown>;
}

/** A host whose task returns 6, and the dispatcher that runs its task. */
function serve(
  nats: MemoryNats,
  clock: ManualClock,
  sum: () => number | Promise<number> = () => 6,
  options: { readonly maxSessions?: number } = {},
): Closable[] & { readonly host: NatsHost; readonly connection: MemoryConnection } {
  const local = createInProcessDispatcher(defineTasks({ sum }), { clock });
  const connection = nats.connect();
  const host = serveNatsTasks({
    ...{ nats: connection, fleet: 'shop', dispatcher: local, tasks: ['sum'], clock, ...options },
  });
  return Object.assign([host, local], { host, connection });
}

async function closeAll(clock: ManualClock, all: readonly Closable[]): Promise<void> {
  const closing = Promise.all(all.map((each) => each.close()));
  await pass(clock, 50);
  await closing;
}

function hostsOf(dispatcher: Pick<NatsDispatcher<{ sum: () => number }>, 'stats'>): number {
  return dispatcher.stats().workers.filter(({ state }) => state === 'ready').length;
}

it('the error of a call that times out before there is a host has the reason', async () => {
  const clock = createManualClock();
  const nats = createMemoryNats({ clock });
  const options = { nats: nats.connect(), fleet: 'shop', name: 'web', clock };
  const dispatcher = createNatsDispatcher<{ sum: () => number }>({ ...options, tasks: ['sum'] });
  const call = dispatcher.run('sum', undefined, { timeoutMs: 400 }).catch((thrown) => thrown);
  await pass(clock, 400);
  const error: DispatchError = await call;
  expect([error.code, (error.cause as DispatchError).code]).toEqual(['ERR_TIMEOUT', 'ERR_NO_HOST']);
  expect((error.cause as Error).message).toBe('Fleet `shop` has no host that has `sum`');
  const closing = dispatcher.close();
  await pass(clock, 20);
  await closing;
});

it('the first start that finds no host opens the circuit, and a probe finds one that has come', async () => {
  const clock = createManualClock();
  const nats = createMemoryNats({ clock });
  const dispatcher = createNatsDispatcher<{ sum: () => number }>({
    ...{ nats: nats.connect(), fleet: 'shop', clock },
  });
  const call = watch(dispatcher.run('sum'));
  await pass(clock, 4990);
  expect([call.state, dispatcher.stats().circuit]).toEqual(['pending', 'closed']);
  await pass(clock, 10);
  const error = call.error as DispatchError;
  expect([error.code, error.message]).toEqual([
    'ERR_CIRCUIT_OPEN',
    'Workers keep failing to start: Fleet `shop` has no host',
  ]);
  expect((error.cause as DispatchError).code).toBe('ERR_NO_HOST');
  expect(dispatcher.stats()).toMatchObject({ circuit: 'open', spawned: 1 });
  const host = serve(nats, clock);
  // The longest back-off, and the way to the host.
  await pass(clock, 1050);
  expect(dispatcher.stats()).toMatchObject({ circuit: 'closed', spawned: 2 });
  const answer = watch(dispatcher.run('sum'));
  await pass(clock, 50);
  expect(answer.value).toBe(6);
  await closeAll(clock, [dispatcher, ...host]);
});

/** Makes a call that can run elsewhere each 10 ms. @returns the milliseconds until the first of them does not wait */
async function untilRefused(
  dispatcher: Pick<NatsDispatcher<{ sum: () => number }>, 'run'>,
  clock: ManualClock,
): Promise<number> {
  let refused = false;
  const onNoWorker = (): void => {
    refused = true;
  };
  const controller = new AbortController();
  const { signal } = controller;
  const from = clock.now();
  for (let ms = 0; ms <= 6000; ms += 10) {
    void dispatcher.run('sum', undefined, { onNoWorker, signal }).catch(() => {});
    await turns(3);
    if (refused) break;
    await pass(clock, 10);
  }
  controller.abort();
  return clock.now() - from;
}

function isWithin(value: number, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least);
  expect(value).toBeLessThanOrEqual(most);
}

describe('a call that can run elsewhere', () => {
  let clock: ManualClock;
  let nats: MemoryNats;
  let dispatcher: NatsDispatcher<{ sum: () => number }>;
  let connection: MemoryConnection;
  const open = (options: Partial<NatsDispatcherOptions> = {}): void => {
    connection = nats.connect();
    dispatcher = createNatsDispatcher({ nats: connection, fleet: 'shop', clock, ...options });
  };
  beforeEach(() => {
    clock = createManualClock();
    nats = createMemoryNats({ clock });
  });

  it('does not wait at all once NATS reports that there is no host', async () => {
    open();
    await turns(10);
    expect(await untilRefused(dispatcher, clock)).toBe(0);
    expect(dispatcher.stats()).toMatchObject({ circuit: 'closed', queued: 0 });
    await closeAll(clock, [dispatcher]);
  });

  it('waits for missedBeats where only hosts without its tasks are there', async () => {
    const host = serve(nats, clock);
    open({ tasks: ['sum', 'other'] });
    // A beat is looked at four times.
    isWithin(await untilRefused(dispatcher, clock), 750, 830);
    await closeAll(clock, [dispatcher, ...host]);
  });

  it('waits for a connection that broke as long as for beats', async () => {
    const host = serve(nats, clock);
    open();
    await pass(clock, 100);
    connection.disconnect();
    isWithin(await untilRefused(dispatcher, clock), 750, 830);
    connection.reconnect();
    await pass(clock, 100);
    const answer = watch(dispatcher.run('sum'));
    await pass(clock, 50);
    expect(answer.value).toBe(6);
    await closeAll(clock, [dispatcher, ...host]);
  });

  it('waits, and is answered, where the connection is soon back', async () => {
    const host = serve(nats, clock);
    open();
    await pass(clock, 100);
    connection.disconnect();
    await pass(clock, 10);
    let refused = false;
    const call = watch(
      dispatcher.run('sum', undefined, {
        onNoWorker: () => {
          refused = true;
        },
      }),
    );
    await pass(clock, 500);
    connection.reconnect();
    await pass(clock, 200);
    expect([call.value, refused]).toEqual([6, false]);
    await closeAll(clock, [dispatcher, ...host]);
  });

  it('does not wait for a host that is silent, nor while it is asked again, whenever a search ends', async () => {
    const host = serve(nats, clock);
    // The first search ends while the host is asked again.
    open({ startTimeoutMs: 1500 });
    await pass(clock, 100);
    expect(hostsOf(dispatcher)).toBe(1);
    host.connection.stall();
    await pass(clock, 10);
    const held = watch(dispatcher.run('sum'));
    await pass(clock, 1000);
    expect((held.error as DispatchError).code).toBe('ERR_WORKER_LOST');
    // It is asked again after 1, 2 and 4 s.
    for (let each = 0; each < 140; each += 1) {
      expect(await untilRefused(dispatcher, clock)).toBe(0);
      await pass(clock, 50);
    }
    host.connection.resume();
    // It is asked again, or announces itself, within its time.
    for (let ms = 0; ms < 13_000 && hostsOf(dispatcher) === 0; ms += 10) await pass(clock, 10);
    const answer = watch(dispatcher.run('sum'));
    await pass(clock, 50);
    expect(answer.value).toBe(6);
    await closeAll(clock, [dispatcher, ...host]);
  });

  it('does not wait for a host that drains and takes no more calls, and goes to the next one', async () => {
    let letGo = (): void => {};
    const held = new Promise<number>((resolve) => {
      letGo = () => resolve(1);
    });
    const host = serve(nats, clock, () => held);
    open();
    await pass(clock, 100);
    const first = watch(dispatcher.run('sum'));
    await pass(clock, 10);
    const drained = host.host.drain();
    await pass(clock, 1500);
    expect([first.state, await untilRefused(dispatcher, clock)]).toEqual(['pending', 0]);
    const next = serve(nats, clock);
    await pass(clock, 5000);
    const second = watch(dispatcher.run('sum'));
    await pass(clock, 50);
    expect(second.value).toBe(6);
    letGo();
    await pass(clock, 500);
    expect(first.value).toBe(1);
    await drained;
    await closeAll(clock, [dispatcher, ...host, ...next]);
  });

  it('does not wait while every host is full, and runs once one has room', async () => {
    const host = serve(nats, clock, undefined, { maxSessions: 1 });
    open();
    const other = dispatcher;
    await pass(clock, 100);
    open();
    await pass(clock, 900);
    for (let each = 0; each < 30; each += 1) {
      expect(await untilRefused(dispatcher, clock)).toBeLessThanOrEqual(20);
      await pass(clock, 50);
    }
    await closeAll(clock, [other]);
    await pass(clock, 2000);
    const answer = watch(dispatcher.run('sum'));
    await pass(clock, 50);
    expect(answer.value).toBe(6);
    await closeAll(clock, [dispatcher, ...host]);
  });

  it('does not wait once a lent connection has been closed', async () => {
    open();
    await turns(10);
    await connection.close();
    await turns(10);
    expect(await untilRefused(dispatcher, clock)).toBe(0);
    await closeAll(clock, [dispatcher]);
  });
});

it('a call that waits while the only host has no room for one more dispatcher has that reason', async () => {
  const clock = createManualClock();
  const nats = createMemoryNats({ clock });
  const local = createInProcessDispatcher(defineTasks({ sum: () => 6 }), { clock });
  const host = serveNatsTasks({
    ...{ nats: nats.connect(), fleet: 'shop', dispatcher: local, tasks: ['sum'], clock },
    maxSessions: 1,
  });
  const open = () =>
    createNatsDispatcher<{ sum: () => number }>({ nats: nats.connect(), fleet: 'shop', clock });
  const first = open();
  const answer = first.run('sum');
  await pass(clock, 100);
  expect(await answer).toBe(6);
  const second = open();
  const call = second.run('sum', undefined, { timeoutMs: 300 }).catch((thrown) => thrown);
  await pass(clock, 300);
  expect(((await call).cause as Error).message).toBe('Fleet `shop` has no free host: 1 full');
  const closing = Promise.all([first, second, host, local].map((each) => each.close()));
  await pass(clock, 50);
  await closing;
});

it('noHost() counts the hosts that are passed over by their reasons', () => {
  const fleet = new Fleet({
    ...{ fleet: 'shop', id: 'web.aaaaaaaa', name: 'web', tasks: ['sum'], max: 16, zone: undefined },
  });
  const announced = (id: string, more: Partial<Announcement> = {}) =>
    fleet.hear(
      {
        ...{ protocol: PROTOCOL, v8: V8_FORMAT, id, zone: undefined, revision: undefined },
        ...{ tasks: ['sum'], capacity: 1, state: 'serving', withinMs: 1000, ...more },
      },
      0,
    );
  announced('old.aaaaaaaa', { protocol: 0 });
  announced('node.aaaaaaaa', { v8: 1 });
  announced('other.aaaaaaaa', { tasks: [] });
  announced('other.bbbbbbbb', { tasks: [] });
  announced('leaves.aaaaaaaa', { state: 'leaving' });
  announced('full.aaaaaaaa');
  fleet.full('full.aaaaaaaa', 0);
  announced('silent.aaaaaaaa');
  fleet.silent('silent.aaaaaaaa');
  announced('taken.aaaaaaaa');
  announced('asked.aaaaaaaa');
  const named = { name: 'web', fleet: 'shop', tasks: ['sum', 'echo'] };
  const taken = new Set(['taken.aaaaaaaa']);
  const hosts = [...fleet.hosts.values()];
  const connected = { state: 'connected', lastError: undefined, taken } as const;
  const error = noHost(named, hosts, connected);
  expect(error.message).toBe(
    'Fleet `shop` has no free host that has `sum`, `echo`: 1 of another version, 1 of another Node.js, 2 without them, 1 leaving, 1 full, 1 silent, 1 in use, 1 not answering',
  );
  expect([error.code, error.data, error.cause]).toEqual([
    'ERR_NO_HOST',
    { name: 'web' },
    undefined,
  ]);
  const cause = new Error('refused');
  const cut = noHost({ ...named, tasks: [] }, [], {
    ...connected,
    state: 'connecting',
    lastError: cause,
  });
  expect([cut.message, cut.cause]).toEqual(['Fleet `shop` has no host: NATS is connecting', cause]);
});
