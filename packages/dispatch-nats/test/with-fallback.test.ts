import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from '@nats-io/transport-node';
import {
  createInProcessDispatcher,
  type Dispatcher,
  defineTasks,
  type TaskMap,
} from '@ticketing/dispatch';
import { withFallback } from '@ticketing/dispatch-wrappers';
import {
  createManualClock,
  engineProgram,
  freePort,
  lives,
  type ManualClock,
  until,
} from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNatsDispatcher, type NatsDispatcherOptions } from '../src/index.ts';
import type { Tasks } from './fixtures/adverse-host.ts';
import { startFleet, type TestFleet } from './fleet-fixture.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A dispatcher over a fleet with the default options, and a fallback whose tasks note their inputs. */
function open<M extends TaskMap>(
  options: Pick<NatsDispatcherOptions, 'nats'> & Partial<NatsDispatcherOptions>,
) {
  const ranHere: unknown[] = [];
  const here = (input: unknown): string => {
    ranHere.push(input);
    return 'here';
  };
  const far = createNatsDispatcher<M>({ fleet: 'test', ...options });
  const local = createInProcessDispatcher(defineTasks({ where: here, echo: here, stay: here }));
  const dispatcher = withFallback<M>(far, local as unknown as Dispatcher<M>);
  closing.push(() => dispatcher.close());
  return { far, dispatcher, ranHere };
}

it('while NATS cannot be reached, calls run in the fallback from the first failed attempt on', async () => {
  const nats = { servers: `127.0.0.1:${await freePort()}` };
  const { dispatcher } = open<{ where: () => string }>({ nats, startTimeoutMs: 2 ** 31 - 1 });
  expect(await dispatcher.run('where')).toBe('here');
  // No start has had its time: only the report of the transport has moved the call.
  expect(dispatcher.stats()).toMatchObject({ circuit: 'closed', fallback: { ran: 1 } });
});

describe.skipIf(engineProgram('nats') === undefined)('over a NATS server', () => {
  let fleet: TestFleet;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = createManualClock();
    fleet = await startFleet();
  });
  afterEach(() => fleet[Symbol.asyncDispose]());

  /** A host in a process of its own, and what it takes to kill it. */
  async function startHost(): Promise<ChildProcess> {
    const entry = new URL('./fixtures/adverse-host.ts', import.meta.url);
    const child = fork(entry, [JSON.stringify({ fleet: 'test', url: fleet.server.url })], {
      execArgv: ['--conditions=@ticketing/source'],
    });
    closing.push(() => kill(child));
    await once(child, 'message');
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(lives(child.pid as number)).toBe(false);
  }

  /** Kills a host, and waits until the server has noticed. */
  async function killHost(child: ChildProcess): Promise<void> {
    await kill(child);
    const nats = await connect({ servers: fleet.server.url });
    try {
      await until(() =>
        nats.request('tt.test.who', undefined, { timeout: 1000 }).then(
          () => false,
          (error: Error) => error.message.includes('no responders'),
        ),
      );
    } finally {
      await nats.close();
    }
  }

  it('without a host the first call runs in the fallback at once, and a host that comes gets the next ones', async () => {
    // The clock of the dispatcher stands still: no time limit of its own has moved the call.
    const nats = { servers: fleet.server.url };
    const { dispatcher, far } = open<{ where: (mark: string) => string }>({ nats, clock });
    expect(await dispatcher.run('where', 'first')).toBe('here');
    expect(await dispatcher.run('where', 'second')).toBe('here');
    expect(dispatcher.stats()).toMatchObject({ circuit: 'closed', fallback: { ran: 2 } });
    await fleet.serve('a');
    await far.ready();
    expect(await dispatcher.run('where', 'third')).toBe('a');
    expect(fleet.notes).toEqual(['third at a']);
  });

  it('calls return to the fleet after the circuit was open', async () => {
    const nats = { servers: fleet.server.url };
    const { dispatcher, far } = open<{ where: (mark: string) => string }>({ nats, clock });
    expect(await dispatcher.run('where', 'down')).toBe('here');
    clock.advance(5000);
    await until(() => far.stats().circuit === 'open');
    expect(far.stats().spawned).toBe(1);
    expect(await dispatcher.run('where', 'open')).toBe('here');
    await fleet.serve('a');
    await until(() => far.fleet().hosts.length === 1);
    // The longest back-off: one probe, which finds the host.
    clock.advance(1000);
    await far.ready();
    expect(await dispatcher.run('where', 'up')).toBe('a');
    expect(far.stats()).toMatchObject({ circuit: 'closed', spawned: 2 });
  });

  it('a call whose only host was killed before it came runs in the fallback: no host has begun it', async () => {
    const child = await startHost();
    const nats = { servers: fleet.server.url };
    const { dispatcher, far, ranHere } = open<Tasks>({ nats, clock });
    await far.ready();
    await killHost(child);
    // The dispatcher does not know yet: it gives the call to the host, and gets it back.
    expect(far.stats().workers).toMatchObject([{ state: 'ready' }]);
    expect(await dispatcher.run('echo', 7)).toBe('here');
    expect(ranHere).toEqual([7]);
    expect(dispatcher.stats()).toMatchObject({ asked: 1, completed: 1, returned: 1, lost: 1 });
    expect(far.fleet().lost['no-responders']).toBe(1);
  });

  it('without a fallback such a call waits for a host, and has the reason once none has come', async () => {
    const child = await startHost();
    const { far } = open<Tasks>({ nats: { servers: fleet.server.url }, clock });
    await far.ready();
    await killHost(child);
    const call = far.run('echo', 7).catch((error) => error);
    await until(() => far.stats().returned === 1);
    await until(() => far.stats().workers.some(({ state }) => state === 'starting'));
    expect(far.stats()).toMatchObject({ circuit: 'closed', queued: 1 });
    clock.advance(5000);
    expect(await call).toMatchObject({
      code: 'ERR_CIRCUIT_OPEN',
      cause: { code: 'ERR_NO_HOST', message: 'Fleet `test` has no host' },
    });
  });

  it('a call that its only host had when it was killed is lost, with and without a fallback', async () => {
    const child = await startHost();
    const { dispatcher, far, ranHere } = open<Tasks>({ nats: { servers: fleet.server.url } });
    await far.ready();
    const outcomes = Promise.allSettled([
      dispatcher.run('stay', 'with'),
      far.run('stay', 'without'),
    ]);
    for (const _ of [1, 2]) await once(child, 'message');
    await kill(child);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ERR_WORKER_LOST' } });
    }
    expect(ranHere).toEqual([]);
    // With permission to run twice it moves.
    expect(await dispatcher.run('echo', 8, { idempotent: true, retries: 1 })).toBe('here');
  });
});
