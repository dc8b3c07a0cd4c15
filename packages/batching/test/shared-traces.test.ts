import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChannelListener, channel, tracingChannel } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { createCoalescer } from '../src/index.ts';
import { createMemoryCoordinator, shareLoads } from '../src/shared/index.ts';
import { refuseUnhandledRejections, settleJobs } from './held-loads.ts';
import { machineOfEachTest } from './shared-machine.ts';

refuseUnhandledRejections();

const machine = machineOfEachTest();
const { createProcess } = machine;
const SHARED = 'tracing:ticketing:batching:shared';
const EVENTS = ['start', 'end', 'error', 'asyncStart', 'asyncEnd'].map(
  (event) => `${SHARED}:${event}`,
);

interface Seen {
  readonly event: string;
  readonly message: Record<string, unknown>;
}

/** Returns what channels publish until the test ends: a copy of each message. */
function listen(...names: string[]): Seen[] {
  const seen: Seen[] = [];
  for (const name of names) {
    const listener: ChannelListener = (message) => {
      seen.push({
        event: name.slice(name.lastIndexOf(':') + 1),
        message: { ...(message as object) },
      });
    };
    channel(name).subscribe(listener);
    onTestFinished(() => void channel(name).unsubscribe(listener));
  }
  return seen;
}

test('a call that leads and one that follows publish the same load', async () => {
  const seen = listen(
    ...EVENTS,
    'ticketing:batching:shared-lead',
    'ticketing:batching:shared-join',
  );
  const [leader, follower] = [createProcess(), createProcess()];
  const first = leader.users.get('ann');
  await settleJobs();
  const second = follower.users.get('ann');
  await settleJobs();
  leader.calls[0]?.resolve('Ann');
  expect(await Promise.all([first, second])).toEqual(['Ann', 'Ann']);
  expect(seen.map(({ event }) => event)).toEqual([
    'start',
    'end',
    'shared-lead',
    'start',
    'end',
    'shared-join',
    'asyncStart',
    'asyncEnd',
    'asyncStart',
    'asyncEnd',
  ]);
  const load = seen[2]?.message['load'];
  expect(load).toMatch(/^users:[\w-]{22}:\d+$/);
  expect(seen[2]?.message).toEqual({
    name: 'users',
    load,
    isRenewal: false,
    call: expect.objectContaining({ key: 'ann' }),
  });
  expect(seen[5]?.message).toMatchObject({ name: 'users', load });
  const ended = seen.filter(({ event }) => event === 'asyncEnd').map(({ message }) => message);
  expect(ended).toEqual([
    { name: 'users', key: 'ann', outcome: 'led', load },
    { name: 'users', key: 'ann', outcome: 'followed', load },
  ]);
});

test('a kept value, and a load for this process alone, have no load of all processes', async () => {
  const seen = listen(`${SHARED}:asyncEnd`);
  const [one, another] = [
    createProcess({ ttlMs: 5000 }),
    createProcess({ ttlMs: 5000, refresh: 0 }),
  ];
  const first = one.users.get('ann');
  await settleJobs();
  one.calls[0]?.resolve('Ann');
  await first;
  await settleJobs();
  await another.users.get('ann');
  expect(seen.map(({ message }) => [message['outcome'], 'load' in message])).toEqual([
    ['led', true],
    ['kept', false],
  ]);
  const counted = [one, another].map(({ load }) => load.stats());
  expect(counted).toMatchObject([{ led: 1 }, { kept: 1 }]);
});

test('a load that fails publishes its error', async () => {
  const seen = listen(...EVENTS);
  const { users, calls } = createProcess();
  const call = users.get('ann');
  await settleJobs();
  const error = new Error('down');
  calls[0]?.reject(error);
  await expect(call).rejects.toBe(error);
  expect(seen.map(({ event }) => event)).toEqual([
    'start',
    'end',
    'error',
    'asyncStart',
    'asyncEnd',
  ]);
  expect(seen.at(-1)?.message).toMatchObject({ outcome: 'led', error });
});

test('the loader runs in the stores that are bound to the start', async () => {
  const store = new AsyncLocalStorage<string>();
  const { start } = tracingChannel('ticketing:batching:shared');
  start.bindStore(store, () => 'of the call');
  onTestFinished(() => void start.unbindStore(store));
  const coordinator = createMemoryCoordinator();
  onTestFinished(() => coordinator.close());
  const load = shareLoads(async () => store.getStore(), { coordinator, name: 'users' });
  expect(await createCoalescer(load).get('ann')).toBe('of the call');
});
