// Tests that wait for seconds: slow networks, connections that are gone for a while, and a blocked event loop.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createLink, engineProgram, until } from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { NatsHostEvent } from '../../src/index.ts';
import { hostName, hostsOf, startFleet, type TestFleet } from '../fleet-fixture.ts';

describe.skipIf(engineProgram('nats') === undefined)('over a NATS server', () => {
  let fleet: TestFleet;
  beforeEach(async () => {
    fleet = await startFleet();
  });
  afterEach(() => fleet[Symbol.asyncDispose]());

  it('sends the time that is left: a slow network takes none of the deadline', async () => {
    const link = await createLink({ to: fleet.server.port, delayMs: 400 });
    await fleet.serve('a', { port: link.port });
    const dispatcher = fleet.dispatch({ beatMs: 60_000, startTimeoutMs: 60_000 });
    await dispatcher.ready();
    const { leftMs } = await dispatcher.run('told', undefined, { timeoutMs: 60_000 });
    expect(leftMs).toBeGreaterThan(59_700);
    await dispatcher.close();
    await link.close();
  });

  it('still knows a host that does not answer once its own connection is back', async () => {
    const toHost = await createLink({ to: fleet.server.port });
    const own = await createLink({ to: fleet.server.port });
    await fleet.serve('a', { port: toHost.port });
    await fleet.serve('b');
    // A session that does not begin is given up long before its host counts as silent.
    const dispatcher = fleet.dispatch({
      ...{ port: own.port, beatMs: 100, missedBeats: 10, startTimeoutMs: 200 },
      restart: { maxFailures: 1, backoffMs: [50, 1000] },
    });
    const stateOf = (name: string) =>
      dispatcher.fleet().hosts.find(({ host }) => hostName(host) === name)?.state;
    await until(() => dispatcher.fleet().hosts.length === 2);
    toHost.stall();
    own.cut();
    await until(() => dispatcher.fleet().state !== 'connected');
    expect([stateOf('a'), stateOf('b')]).toEqual(['silent', 'silent']);
    own.open();
    await until(() => stateOf('b') === 'serving', 'the host that answers');
    await until(() => stateOf('a') === 'serving', 'that the other is asked again');
    await until(() => stateOf('a') === 'silent', 'that it does not answer');
    toHost.open();
    await until(() => stateOf('a') === 'serving', 'the host that answers again');
    await dispatcher.close();
    await own.close();
    await toHost.close();
  });

  it('loses what is under way with the connection, and repeats what may run twice', async () => {
    const link = await createLink({ to: fleet.server.port });
    const a = await fleet.serve('a');
    const dispatcher = fleet.dispatch({ port: link.port });
    await dispatcher.ready();
    const once = dispatcher.run('hold', 'once');
    const twice = dispatcher.run('hold', 'twice', { idempotent: true, retries: 1 });
    await until(() => fleet.notes.length === 2);
    link.cut();
    await expect(once).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
    expect(dispatcher.fleet()).toMatchObject({ state: 'cut-off', lost: { disconnect: 1 } });
    // Nothing is sent now: it waits for a host.
    const later = dispatcher.run('where', 'later');
    await until(() => fleet.notes.filter((each) => each.endsWith('aborted')).length === 2);
    link.open();
    expect(await later).toBe('a');
    await until(() => fleet.notes.filter((each) => each === 'twice began').length === 2);
    a.letGo('twice');
    expect(await twice).toBe('twice at a');
    expect(fleet.notes.filter((each) => each === 'once began')).toHaveLength(1);
    await dispatcher.close();
    await link.close();
  });

  it('aborts the tasks of a dispatcher that is cut off', async () => {
    const link = await createLink({ to: fleet.server.port });
    const { host } = await fleet.serve('a');
    const dispatcher = fleet.dispatch({ port: link.port, beatMs: 100, missedBeats: 10 });
    await dispatcher.ready();
    const held = dispatcher.run('hold', 'x');
    held.catch(() => {});
    await until(() => fleet.notes.includes('x began'));
    link.stall();
    await until(() => fleet.notes.includes('x aborted'), 'the abort on the host');
    expect(host.stats()).toMatchObject({ running: 0, lost: 1 });
    await expect(held).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
    link.open();
    expect(await dispatcher.run('where', 'y')).toBe('a');
    await dispatcher.close();
    await link.close();
  });

  it('sends large values in turns: beats and small calls of other sessions go between', async () => {
    const link = await createLink({ to: fleet.server.port, bytesPerSecond: 20e6 });
    await Promise.all([fleet.serve('a'), fleet.serve('b')]);
    const dispatcher = fleet.dispatch({ port: link.port });
    await until(() => hostsOf(dispatcher).length === 2);
    let isDone = false;
    const large = dispatcher.run('size', Buffer.alloc(20e6, 1)).finally(() => {
      isDone = true;
    });
    let between = 0;
    while (!isDone) {
      await dispatcher.run('echo', between);
      between += 1;
    }
    expect(await large).toBe(20e6);
    expect(between).toBeGreaterThan(3);
    expect(dispatcher.stats().lost).toBe(0);
    await dispatcher.close();
    await link.close();
  });

  it('reports that its event loop was blocked for half of the time that counts as death', async () => {
    const late: string[] = [];
    const note = (event: unknown) => {
      const { type, host } = event as NatsHostEvent;
      if (type === 'late') late.push(hostName(host));
    };
    subscribe('ticketing:dispatch-nats:host', note);
    onTestFinished(() => void unsubscribe('ticketing:dispatch-nats:host', note));
    const host = await fleet.serve('a');
    const dispatcher = fleet.dispatch({ beatMs: 100, missedBeats: 20 });
    const call = dispatcher.run('hold', 'x');
    await until(() => fleet.notes.includes('x began'));
    const end = performance.now() + 1400;
    while (performance.now() < end);
    await until(() => late.includes('a'));
    host.letGo('x');
    await call;
    // Nothing is lost, because messages of that time are read first.
    expect(await dispatcher.run('where', 'x')).toBe('a');
  });
});
