import { type ChannelListener, channel, tracingChannel } from 'node:diagnostics_channel';
import { afterEach, expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

/** Messages of a channel, from now on. */
function listen(name: string): unknown[] {
  const messages: unknown[] = [];
  const remember: ChannelListener = (message) => {
    messages.push({ ...(message as object) });
  };
  channel(name).subscribe(remember);
  undo.push(() => void channel(name).unsubscribe(remember));
  return messages;
}

test('a call is traced from its acceptance until it has settled', async () => {
  const { run, ready, transport } = createPool({ name: 'trips' });
  await ready();
  const events: [string, unknown][] = [];
  const note =
    (event: string) =>
    (message: object): void => {
      events.push([event, { ...message }]);
    };
  const handlers = {
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  };
  const traced = tracingChannel('ticketing:dispatch:run');
  traced.subscribe(handlers);
  undo.push(() => void traced.unsubscribe(handlers));
  run('a');
  run('b');
  const first = { name: 'trips', task: 'echo', id: 1, metadata: {} };
  const second = { name: 'trips', task: 'echo', id: 2, metadata: {} };
  expect(events.splice(0)).toEqual([
    ['start', first],
    ['end', first],
    ['start', second],
    ['end', second],
  ]);
  await turn();
  const error = new Error('no');
  transport.at(0).answer(1, 'yes');
  transport.at(0).fail(2, error);
  const end = { attempt: 1, workerId: 1, waitMs: 0, runMs: 1 };
  const completed = { outcome: 'completed', result: 'yes' };
  const failed = { outcome: 'failed', error };
  expect(events.splice(0)).toEqual([
    ['asyncStart', { ...first, ...end, ...completed }],
    ['asyncEnd', { ...first, ...end, ...completed }],
    ['error', { ...second, ...end, ...failed }],
    ['asyncStart', { ...second, ...end, ...failed }],
    ['asyncEnd', { ...second, ...end, ...failed }],
  ]);
});

test('texts that a subscriber of the start adds go to the task, below the texts of the caller', async () => {
  const { run, ready, transport } = createPool();
  await ready();
  const add = (message: unknown): void => {
    Object.assign((message as { metadata: object }).metadata, { trace: 'added', locale: 'none' });
  };
  channel('tracing:ticketing:dispatch:run:start').subscribe(add);
  run(1);
  run(2, { metadata: { locale: 'es-ES' } });
  channel('tracing:ticketing:dispatch:run:start').unsubscribe(add);
  run(3, { metadata: { locale: 'es-ES' } });
  await turn();
  transport.at(0).answer(1);
  await turn();
  expect(transport.at(0).runs.map(({ metadata }) => metadata)).toEqual([
    { trace: 'added', locale: 'none' },
    { trace: 'added', locale: 'es-ES' },
    { locale: 'es-ES' },
  ]);
});

test('each attempt of a call is published: the lost ones, and the last one', async () => {
  const retries = listen('ticketing:dispatch:retry');
  const ended = listen('tracing:ticketing:dispatch:run:asyncEnd');
  const { run, ready, transport, clock } = createPool({ name: 'trips' });
  await ready();
  clock.advance(10);
  run('again', { idempotent: true, retries: 1 });
  await turn();
  transport.at(0).start(1);
  clock.advance(30);
  transport.at(0).exit({ signal: 'SIGKILL' });
  expect(retries).toEqual([
    { run: expect.objectContaining({ id: 1 }), attempt: 1, workerId: 1, waitMs: 0, heldMs: 30 },
  ]);
  clock.advance(200);
  transport.at(1).ready();
  await turn();
  transport.at(1).answer(1, 'yes', 7);
  expect(ended).toMatchObject([{ attempt: 2, workerId: 2, waitMs: 230, runMs: 7, result: 'yes' }]);
});

test('a call that settles while it waits was in no worker', async () => {
  const ended = listen('tracing:ticketing:dispatch:run:asyncEnd');
  const { run, clock } = createPool();
  run(1, { timeoutMs: 50 });
  clock.advance(50);
  await turn();
  expect(ended).toMatchObject([{ attempt: 1, workerId: undefined, waitMs: 50 }]);
  expect(ended[0]).not.toHaveProperty('runMs');
});

test('a call that was made before anyone listened is not traced', async () => {
  const { run, ready, transport } = createPool();
  await ready();
  run(0);
  const ended = listen('tracing:ticketing:dispatch:run:asyncEnd');
  await turn();
  transport.at(0).answer(1);
  expect(ended).toEqual([]);
});

test('workers that become ready and workers that end are published', async () => {
  const readies = listen('ticketing:dispatch:worker-ready');
  const exits = listen('ticketing:dispatch:worker-exit');
  const { ready, transport } = createPool({ name: 'trips' });
  expect(readies).toEqual([]);
  await ready();
  expect(readies).toEqual([{ name: 'trips', workerId: 1, pid: 9001 }]);
  transport.at(0).exit({ signal: 'SIGSEGV' });
  transport.spawnErrors.push(new Error('EAGAIN'));
  expect(exits).toEqual([
    { name: 'trips', workerId: 1, pid: 9001, exitCode: undefined, signal: 'SIGSEGV' },
  ]);
});

test('a spawn that throws is published as the end of a worker without a process', () => {
  const exits = listen('ticketing:dispatch:worker-exit');
  const { transport, clock } = createPool();
  transport.spawnErrors.push(new Error('EAGAIN'));
  transport.at(0).exit({ exitCode: 3 });
  clock.advance(50);
  expect(exits).toMatchObject([
    { workerId: 1, pid: 9001, exitCode: 3 },
    { workerId: 2, pid: undefined, exitCode: undefined },
  ]);
});

test('an opening circuit is published once, and again for each failed probe', () => {
  const opened = listen('ticketing:dispatch:circuit-open');
  const { transport, clock } = createPool({ name: 'trips', max: 3, restart: { maxFailures: 0 } });
  const [first, second, third] = transport.workers;
  const error = new Error('first');
  first?.startFailed(error);
  second?.startFailed(new Error('second'));
  third?.startFailed(new Error('third'));
  expect(opened).toEqual([{ name: 'trips', error }]);
  clock.advance(5000);
  const probed = new Error('probe');
  transport.at(3).startFailed(probed);
  expect(opened).toEqual([
    { name: 'trips', error },
    { name: 'trips', error: probed },
  ]);
});
