import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from '@nats-io/transport-node';
import {
  createInProcessDispatcher,
  type DispatchError,
  defineTasks,
  systemClock,
} from '@ticketing/dispatch';
import { createManualClock, engineProgram, turns, until } from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNatsDispatcher, type NatsHostEvent, serveNatsTasks } from '../src/index.ts';
import { serveJson } from '../src/json/index.ts';
import { NatsLink } from '../src/link/nats-link.ts';
import { startFleet } from './fleet-fixture.ts';
import { createMemoryNats } from './memory-nats.ts';

type Closed = Extract<NatsHostEvent, { readonly type: 'closed' }>;
const closed: Closed[] = [];
const note = (event: unknown): void => {
  if ((event as NatsHostEvent).type === 'closed') closed.push(event as Closed);
};
beforeEach(() => {
  closed.length = 0;
  subscribe('ticketing:dispatch-nats:host', note);
});
afterEach(() => unsubscribe('ticketing:dispatch-nats:host', note));

describe.skipIf(engineProgram('nats') === undefined)('a connection that ends for good', () => {
  it.each([{ reconnect: false }, { maxReconnectAttempts: 1, reconnectTimeWait: 1 }])(
    'with %j is followed by another: a host and a dispatcher work again',
    async (ends) => {
      await using fleet = await startFleet();
      const nats = { servers: fleet.server.url, ...ends };
      const { host } = await fleet.serve('a', { nats, json: serveJson });
      const dispatcher = fleet.dispatch({ nats, name: 'web' });
      expect(await dispatcher.run('where', 'before')).toBe('a');
      await fleet.server.stop();
      await until(() => closed.length >= 2, 'the end of both connections');
      const byName = closed.toSorted((one, other) =>
        (one.name ?? '').localeCompare(other.name ?? ''),
      );
      expect(byName.slice(0, 2)).toMatchObject([
        { name: undefined, host: host.id, reconnects: true },
        { name: 'web', host: undefined, reconnects: true },
      ]);
      expect([host.state, dispatcher.fleet().state]).toEqual(['cut-off', 'cut-off']);
      const waiting = dispatcher.run('where', 'meanwhile');
      await fleet.server.start();
      expect(await waiting).toBe('a');
      expect(host.state).toBe('serving');
      // Requests by JSON are taken on the new connection, once.
      const shell = await connect({ servers: fleet.server.url });
      expect((await shell.request('tt.test.t.where', '"by JSON"')).json()).toBe('a');
      await shell.close();
      expect(fleet.notes).toEqual(['before at a', 'meanwhile at a', 'by JSON at a']);
      expect(host.stats().json).toMatchObject({ completed: 1 });
    },
  );

  it('while it is being closed is followed by none', async () => {
    await using fleet = await startFleet();
    const nats = { servers: fleet.server.url, reconnect: false };
    let connected = 0;
    const link = new NatsLink(
      { nats, name: 'closes', clock: systemClock, random: Math.random },
      {
        connected: () => {
          connected += 1;
        },
        disconnected() {},
        ended: () => void link.close(),
      },
    );
    await until(() => connected === 1);
    const before = await fleet.server.connections();
    await fleet.server.stop();
    await until(() => link.state === 'closed');
    await fleet.server.start();
    await link.close();
    await turns(20);
    expect(before).toBeGreaterThan(0);
    // The connection that asks.
    expect(await fleet.server.connections()).toBeLessThan(before + 1);
  });
});

describe('a connection that was given', () => {
  const setUp = () => {
    const clock = createManualClock();
    const nats = createMemoryNats({ clock });
    return { clock, nats, ofHost: nats.connect(), ofDispatcher: nats.connect() };
  };

  it('and is closed: calls that wait and later ones reject at once, with the reason', async () => {
    const { clock, nats, ofDispatcher } = setUp();
    const options = { nats: ofDispatcher, fleet: 'f', name: 'web', clock };
    const dispatcher = createNatsDispatcher<{ sum: (a: number) => number }>(options);
    const rejection = (): Promise<DispatchError> =>
      dispatcher.run('sum', 1).catch((thrown) => thrown);
    const waiting = rejection();
    await turns();
    const at = clock.now();
    await ofDispatcher.close();
    for (const error of [await waiting, await rejection()]) {
      expect([error.code, (error.cause as DispatchError).code]).toEqual([
        'ERR_CIRCUIT_OPEN',
        'ERR_NO_HOST',
      ]);
      expect(error.message).toBe(
        'Workers keep failing to start: Fleet `f` has no host: NATS is closed',
      );
    }
    expect(clock.now()).toBe(at);
    expect(dispatcher.fleet().state).toBe('closed');
    expect(closed).toEqual([
      { type: 'closed', name: 'web', host: undefined, reconnects: false, error: undefined },
    ]);
    await dispatcher.close();
    expect([clock.pending, nats.subscriptions]).toEqual([0, 0]);
  });

  it('and was closed before: so does the first call', async () => {
    const { clock, ofDispatcher } = setUp();
    await ofDispatcher.close();
    const dispatcher = createNatsDispatcher({ nats: ofDispatcher, fleet: 'f', clock });
    await expect(dispatcher.ready()).rejects.toMatchObject({
      code: 'ERR_CIRCUIT_OPEN',
      cause: { code: 'ERR_NO_HOST' },
    });
    await dispatcher.close();
  });

  it('and is closed: ready() of a host rejects, before and after, and its calls are lost', async () => {
    const { clock, nats, ofHost, ofDispatcher } = setUp();
    const local = createInProcessDispatcher(
      defineTasks({
        hold: (_: undefined, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      }),
      { clock },
    );
    const host = serveNatsTasks({
      ...{ nats: ofHost, fleet: 'f', dispatcher: local, tasks: ['hold'], hostId: 'h', clock },
    });
    await host.ready();
    const dispatcher = createNatsDispatcher<{ hold: () => void }>({
      ...{ nats: ofDispatcher, fleet: 'f', clock },
    });
    const call = dispatcher.run('hold');
    const lost = expect(call).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
    while (host.stats().running === 0) {
      clock.advance(5);
      await turns();
    }
    await ofHost.close();
    await turns();
    expect(host.state).toBe('closed');
    expect(host.stats()).toMatchObject({ running: 0, lost: 1 });
    await expect(host.ready()).rejects.toMatchObject({
      code: 'ERR_CLOSED',
      message: `Host ${host.id} cannot serve: the connection of \`nats\` is closed; create a host with another one, or pass the options of one`,
    });
    expect(closed).toMatchObject([{ host: host.id, name: undefined, reconnects: false }]);
    // The dispatcher learns it by the missing beats.
    for (let beat = 0; beat < 8; beat += 1) {
      clock.advance(125);
      await turns();
    }
    await lost;
    for (const each of [dispatcher, host, local]) await each.close();
    expect([clock.pending, nats.subscriptions]).toEqual([0, 0]);
  });

  it('and was closed before a host waits for it: ready() rejects', async () => {
    const { ofHost } = setUp();
    const local = createInProcessDispatcher(defineTasks({ one: () => 1 }));
    await ofHost.close();
    const host = serveNatsTasks({ nats: ofHost, fleet: 'f', dispatcher: local, tasks: ['one'] });
    await expect(host.ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' });
    await host.close();
    await local.close();
  });
});
