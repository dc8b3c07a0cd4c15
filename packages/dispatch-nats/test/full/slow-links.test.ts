// What takes seconds of waiting: slow networks, and connections that are gone for a while.
import { createLink, engineProgram, until } from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostName, startFleet, type TestFleet } from '../fleet-fixture.ts';

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
});
