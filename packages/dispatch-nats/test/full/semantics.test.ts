import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from '@nats-io/transport-node';
import { createLink, engineProgram, turns, until } from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NatsHostEvent } from '../../src/index.ts';
import { hostName, hostsOf, startFleet, type TestFleet } from '../fleet-fixture.ts';

describe.skipIf(engineProgram('nats') === undefined)('over a NATS server', () => {
  let fleet: TestFleet;
  const events: NatsHostEvent[] = [];
  const note = (event: unknown) => void events.push(event as NatsHostEvent);
  beforeEach(async () => {
    events.length = 0;
    subscribe('ticketing:dispatch-nats:host', note);
    fleet = await startFleet();
  });
  afterEach(async () => {
    unsubscribe('ticketing:dispatch-nats:host', note);
    await fleet[Symbol.asyncDispose]();
  });
  const sawEvent = (type: string, name: string) =>
    events.some((event) => event.type === type && hostName(event.host) === name);

  it('hands on metadata, and no deadline to a call without one', async () => {
    await fleet.serve('a');
    const dispatcher = fleet.dispatch();
    const metadata = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    expect(await dispatcher.run('told', undefined, { metadata })).toEqual({
      metadata,
      attempt: 1,
      leftMs: undefined,
    });
  });

  it('never starts a task whose time is up when it arrives', async () => {
    const link = await createLink({ to: fleet.server.port });
    await fleet.serve('a', { port: link.port });
    const nats = await connect({ port: fleet.server.port, noEcho: true });
    const dispatcher = fleet.dispatch({ beatMs: 60_000, nats });
    await dispatcher.ready();
    link.stall();
    await expect(dispatcher.run('where', 'late', { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'ERR_TIMEOUT',
    });
    // The host gets the call and its end together.
    await nats.flush();
    link.open();
    await dispatcher.run('where', 'later');
    expect(fleet.notes).toEqual(['later at a']);
    await dispatcher.close();
    await nats.close();
    await link.close();
  });

  it('finds a silent host by its missing beats, ends its tasks there, and takes it back', async () => {
    const link = await createLink({ to: fleet.server.port });
    await fleet.serve('a', { port: link.port });
    const dispatcher = fleet.dispatch({ beatMs: 100, missedBeats: 10 });
    await dispatcher.ready();
    const held = dispatcher.run('hold', 'x');
    held.catch(() => {});
    await until(() => fleet.notes.includes('x began'));
    link.stall();
    await expect(held).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
    expect(dispatcher.fleet().lost.silence).toBe(1);
    await until(() => fleet.notes.includes('x aborted'), 'the abort on the host');
    // With permission the next attempt waits for a host.
    const again = dispatcher.run('where', 'y', { idempotent: true, retries: 1 });
    link.open();
    expect(await again).toBe('a');
    expect(fleet.notes.filter((each) => each === 'x began')).toHaveLength(1);
    await dispatcher.close();
    await link.close();
  });

  it('goes on when NATS was killed and is back', async () => {
    const { host } = await fleet.serve('a');
    const dispatcher = fleet.dispatch();
    await dispatcher.ready();
    const held = dispatcher.run('hold', 'x');
    const lost = expect(held).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
    await until(() => fleet.notes.includes('x began'));
    await fleet.server.stop();
    await lost;
    await until(() => host.state === 'cut-off');
    const waits = dispatcher.run('where', 'y');
    await fleet.server.start();
    expect(await waits).toBe('a');
    expect([host.state, dispatcher.fleet().state]).toEqual(['serving', 'connected']);
  });

  it('drains the only host: what it has is answered, what comes waits for another', async () => {
    const a = await fleet.serve('a');
    const dispatcher = fleet.dispatch();
    await dispatcher.ready();
    const held = dispatcher.run('hold', 'x');
    await until(() => fleet.notes.includes('x began'));
    const drained = a.host.drain();
    await until(() => a.host.state === 'leaving');
    a.letGo('x');
    expect(await held).toBe('x at a');
    expect(await drained).toEqual({ completed: 1, aborted: 0 });
    const waits = dispatcher.run('where', 'y');
    await fleet.serve('b');
    expect(await waits).toBe('b');
    expect(dispatcher.stats().completed).toBe(2);
  });

  it('aborts what a leaving host has not done after timeoutMs', async () => {
    const { host } = await fleet.serve('a');
    const dispatcher = fleet.dispatch();
    await dispatcher.ready();
    const held = dispatcher.run('hold', 'x');
    const lost = expect(held).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
    await until(() => fleet.notes.includes('x began'));
    expect(await host.drain({ timeoutMs: 20 })).toEqual({ completed: 0, aborted: 1 });
    await lost;
    expect(fleet.notes).toContain('x aborted');
  });

  it('gives calls back that a host has no room for, and shares its room among dispatchers', async () => {
    const a = await fleet.serve('a', { capacity: 4 });
    const one = fleet.dispatch();
    await one.ready();
    expect(one.stats().workers[0]?.window).toBe(8);
    const other = fleet.dispatch();
    await other.ready();
    await until(() => one.stats().workers[0]?.window === 4);
    const marks = Array.from({ length: 12 }, (_, index) => `${index}`);
    const calls = marks.map((mark, index) => (index % 2 ? one : other).run('hold', mark));
    await until(() => a.host.stats().running === 4);
    await until(() => one.stats().returned + other.stats().returned > 0);
    let done = false;
    const all = Promise.all(calls).then(() => {
      done = true;
    });
    await until(() => {
      expect(a.host.stats().running).toBeLessThanOrEqual(4);
      for (const mark of marks) a.letGo(mark);
      return done;
    });
    await all;
    expect(fleet.notes.filter((each) => each.endsWith('began'))).toHaveLength(12);
    expect(a.host.stats()).toMatchObject({ running: 0, completed: 12 });
    expect(a.host.stats().busy).toBeGreaterThan(0);
    await other.close();
    await until(() => one.stats().workers[0]?.window === 8);
  });

  it('refuses what is too large for that call alone, either way', async () => {
    await fleet.serve('a');
    const dispatcher = fleet.dispatch({ maxMessageBytes: 100_000 });
    const beside = dispatcher.run('echo', 'beside');
    const large = dispatcher.run('size', Buffer.alloc(200_000));
    await expect(large).rejects.toMatchObject({ code: 'ERR_TOO_LARGE', data: { limit: 100_000 } });
    await expect(dispatcher.run('echo', 'x'.repeat(200_000))).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
    });
    await expect(dispatcher.run('bytes', 200_000)).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
    expect(await beside).toBe('beside');
    expect(await dispatcher.run('bytes', 90_000)).toHaveLength(90_000);
    expect(dispatcher.stats()).toMatchObject({ lost: 0, completed: 2 });
  });

  it('passes over hosts of another protocol, of another format, without its tasks; counts why', async () => {
    const nats = await connect({ servers: fleet.server.url });
    const base = { protocol: 1, v8: 15, tasks: ['echo'], capacity: 1, state: 'serving' };
    const hosts = [
      { ...base, id: 'newer.aaaaaaaa', protocol: 2 },
      { ...base, id: 'format.aaaaaaaa', v8: 99 },
      { ...base, id: 'fewer.aaaaaaaa', revision: '1' },
    ];
    nats.subscribe('tt.test.who', {
      callback: () => {
        for (const host of hosts) nats.publish('tt.test.here', JSON.stringify(host));
      },
    });
    await nats.flush();
    await fleet.serve('a', { revision: '2' });
    const dispatcher = fleet.dispatch({ tasks: ['echo', 'where'] });
    expect(await dispatcher.run('where', 'x')).toBe('a');
    await until(() => dispatcher.fleet().hosts.length === 4);
    expect(dispatcher.fleet().refused).toMatchObject({ protocol: 1, v8: 1, tasks: 1 });
    expect(sawEvent('refused', 'fewer')).toBe(true);
    expect(hostsOf(dispatcher)).toEqual(['a']);
    await nats.close();
  });

  it('names host and revision where a task is unknown', async () => {
    await fleet.serve('a', { revision: '7.1', tasks: ['echo'] });
    await fleet.serve('b', { revision: '7.2' });
    const dispatcher = fleet.dispatch();
    await until(() => hostsOf(dispatcher).length === 2);
    const calls = Array.from({ length: 4 }, () => dispatcher.run('where', 'x'));
    const failed = (await Promise.allSettled(calls)).find(({ status }) => status === 'rejected');
    expect(String((failed as PromiseRejectedResult).reason)).toMatch(
      /Cannot run task on host a\.\w{8} \(revision 7\.1\): unknown task `where`; known are echo/,
    );
  });

  it('runs the calls of a key on one host, the same for all dispatchers', async () => {
    const [a] = await Promise.all(['a', 'b', 'c'].map((name) => fleet.serve(name)));
    const [one, other] = [fleet.dispatch({ name: 'one' }), fleet.dispatch({ name: 'other' })];
    await until(() => [one, other].every((each) => hostsOf(each).length === 3));
    const keys = Array.from({ length: 60 }, (_, index) => `key ${index}`);
    const ownersBy = (dispatcher: typeof one) =>
      Promise.all(keys.map((key) => dispatcher.run('where', key, { key })));
    const before = await ownersBy(one);
    expect(await ownersBy(other)).toEqual(before);
    expect(new Set(before).size).toBe(3);
    expect(keys.map((key) => hostName(one.ownerOf(key)))).toEqual(before);
    await a?.host.drain();
    await until(() => one.fleet().hosts.filter(({ state }) => state === 'serving').length === 2);
    await until(() => hostsOf(one).join() === 'b,c');
    const after = await ownersBy(one);
    expect(
      after.filter((owner, index) => owner !== before[index] && before[index] !== 'a'),
    ).toEqual([]);
  });

  it('uses hosts.max hosts, and owners of keys once a key is used', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => fleet.serve(name)));
    const dispatcher = fleet.dispatch({ hosts: { max: 1 } });
    await dispatcher.ready();
    await until(() => dispatcher.fleet().hosts.length === 3);
    await turns();
    expect(hostsOf(dispatcher)).toHaveLength(1);
    await dispatcher.run('where', 'x', { key: 'k' });
    await until(() => hostsOf(dispatcher).length === 3, 'sessions with all owners');
  });

  it('keeps calls in its own zone until that is full, or gone', async () => {
    const near = await fleet.serve('near', { zone: 'z1', capacity: 2 });
    await fleet.serve('far', { zone: 'z2' });
    const dispatcher = fleet.dispatch({ hosts: { zone: 'z1' }, beatMs: 50, missedBeats: 100 });
    await until(() => hostsOf(dispatcher).length === 2);
    // One call at a time: the host refuses none, and grants twice the calls that it can run.
    for (let call = 0; call < 4; call++) expect(await dispatcher.run('where', 'x')).toBe('near');
    const marks = ['1', '2', '3', '4', '5', '6'];
    const held = marks.map((mark) => dispatcher.run('hold', mark));
    for (const each of held) each.catch(() => {});
    await until(() => fleet.notes.filter((each) => each.endsWith('began')).length === 6);
    // Calls at the near host are let go; the others end with their host.
    for (const mark of marks) near.letGo(mark);
    expect((await Promise.race(held)).endsWith('near')).toBe(true);
    await near.close();
    // A call that is on its way to a host that closes is lost.
    await until(() => hostsOf(dispatcher).length === 1);
    expect(await dispatcher.run('where', 'y')).toBe('far');
  });

  it('renews its sessions one by one, and takes no module', async () => {
    await Promise.all(['a', 'b'].map((name) => fleet.serve(name)));
    const dispatcher = fleet.dispatch();
    await until(() => hostsOf(dispatcher).length === 2);
    const before = dispatcher.stats().workers.map(({ workerId }) => workerId);
    await expect(dispatcher.reload({ module: new URL('file:///x.js') })).rejects.toThrow(
      'Cannot reload: option `module` does not apply, because hosts have code of their own; call `reload` of their dispatchers',
    );
    const calls = Array.from({ length: 50 }, () => dispatcher.run('pause', 5));
    await dispatcher.reload();
    await Promise.all(calls);
    // The old sessions finish their calls.
    await until(() =>
      dispatcher.stats().workers.every(({ workerId }) => !before.includes(workerId)),
    );
    expect(hostsOf(dispatcher)).toEqual(['a', 'b']);
  });

  it('opens its circuit when no host comes: the cause is ERR_NO_HOST', async () => {
    const dispatcher = fleet.dispatch({
      startTimeoutMs: 5,
      restart: { backoffMs: [1, 60_000], maxFailures: 2 },
    });
    await expect(dispatcher.run('echo', 1)).rejects.toMatchObject({
      code: 'ERR_CIRCUIT_OPEN',
      cause: { code: 'ERR_NO_HOST' },
    });
  });
});
