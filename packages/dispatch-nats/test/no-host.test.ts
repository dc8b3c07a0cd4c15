import { createInProcessDispatcher, type DispatchError, defineTasks } from '@ticketing/dispatch';
import { createManualClock, type ManualClock, turns } from '@ticketing/test-kit';
import { expect, it } from 'vitest';
import { noHost } from '../src/dispatcher/no-host.ts';
import { type Announcement, PROTOCOL, V8_FORMAT } from '../src/fleet/announcement.ts';
import { Fleet } from '../src/fleet/fleet.ts';
import { createNatsDispatcher, serveNatsTasks } from '../src/index.ts';
import { createMemoryNats } from './memory-nats.ts';

async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10) {
    clock.advance(Math.min(10, left));
    await turns(3);
  }
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

it('errors of calls that fail because no start has found a host have the reason', async () => {
  const clock = createManualClock();
  const nats = createMemoryNats({ clock });
  const dispatcher = createNatsDispatcher({
    ...{ nats: nats.connect(), fleet: 'shop', clock, startTimeoutMs: 100 },
    restart: { maxFailures: 1 },
  });
  const call = dispatcher.run('sum').catch((thrown: DispatchError) => thrown);
  await pass(clock, 2000);
  const error = (await call) as DispatchError;
  expect(error.message).toBe('Workers keep failing to start: Fleet `shop` has no host');
  expect((error.cause as DispatchError).code).toBe('ERR_NO_HOST');
  const closing = dispatcher.close();
  await pass(clock, 20);
  await closing;
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
