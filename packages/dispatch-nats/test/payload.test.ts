import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createInProcessDispatcher, defineTasks, systemClock } from '@ticketing/dispatch';
import { engineProgram, turns } from '@ticketing/test-kit';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNatsDispatcher, type NatsHostEvent, serveNatsTasks } from '../src/index.ts';
import { type LinkEnd, NatsLink, type UnsentMessage } from '../src/link/nats-link.ts';
import { startFleet } from './fleet-fixture.ts';
import { createMemoryNats } from './memory-nats.ts';
import { testPayloads } from './payload-cases.ts';

const HEAD_BYTES = 12;
const unsent: NatsHostEvent[] = [];
const note = (event: unknown): void => {
  if ((event as NatsHostEvent).type === 'unsent') unsent.push(event as NatsHostEvent);
};
beforeEach(() => {
  unsent.length = 0;
  subscribe('ticketing:dispatch-nats:host', note);
});
afterEach(() => unsubscribe('ticketing:dispatch-nats:host', note));

testPayloads([1, 1024]);

describe.skipIf(engineProgram('nats') === undefined)('a server', () => {
  it('that takes no announcement of so many tasks: ready() of the host says so', async () => {
    await using fleet = await startFleet({ config: 'max_payload: 128\n' });
    await expect(fleet.serve('much-too-long-a-name-for-a-host')).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
      data: { limit: 128 },
      message: expect.stringMatching(
        /^Host much-too-long-a-name-for-a-host\.\w{8} cannot announce itself: \d{3} bytes exceed 128; name fewer `tasks`, or raise `max_payload` of the server$/,
      ),
    });
    await turns();
    expect(unsent[0]).toMatchObject({ subject: 'tt.test.here', host: expect.any(String) });
  });
});

it('calls of any size around the borders of pieces arrive, and no message is larger than the server takes', async () => {
  const tasks = { echo: (value: Uint8Array) => value };
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 512, max: 2048 }),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: -150, max: 24 })), {
        minLength: 1,
        maxLength: 5,
      }),
      async (maxPayload, borders) => {
        const nats = createMemoryNats({ clock: systemClock, maxPayload });
        let largest = 0;
        nats.seen = (_, { byteLength }) => {
          largest = Math.max(largest, byteLength);
        };
        const [ofHost, ofDispatcher] = [nats.connect(), nats.connect()];
        const local = createInProcessDispatcher(defineTasks(tasks));
        const host = serveNatsTasks({
          ...{ nats: ofHost, fleet: 'f', dispatcher: local, tasks: ['echo'], hostId: 'h' },
        });
        const dispatcher = createNatsDispatcher<typeof tasks>({ nats: ofDispatcher, fleet: 'f' });
        const sizes = borders.map(([pieces, more]) => pieces * (maxPayload - HEAD_BYTES) + more);
        const values = sizes.map((bytes) => Buffer.alloc(bytes, bytes % 251));
        const back = await Promise.all(values.map((value) => dispatcher.run('echo', value)));
        expect(back.map((each, index) => Buffer.compare(each, values[index] as Buffer))).toEqual(
          sizes.map(() => 0),
        );
        expect(largest).toBeLessThanOrEqual(maxPayload);
        expect([dispatcher.stats().lost, unsent.length]).toEqual([0, 0]);
        await dispatcher.close();
        await host.close();
        await local.close();
      },
    ),
    { numRuns: 60 },
  );
});

describe('NatsLink', () => {
  function open(maxPayload: number) {
    const nats = createMemoryNats({ clock: systemClock, maxPayload });
    const [connection, other] = [nats.connect(), nats.connect()];
    const heard: string[] = [];
    other.subscribe('>', { callback: (_, { subject }) => heard.push(subject) });
    const refused: UnsentMessage[] = [];
    const ends: LinkEnd[] = [];
    const link = new NatsLink(
      { nats: connection, name: 'link', clock: systemClock, random: Math.random },
      {
        connected() {},
        disconnected() {},
        ended: (end) => ends.push(end),
        unsent: (message) => refused.push(message),
      },
    );
    return { link, connection, heard, refused, ends };
  }

  it('sends what was published beside a message that is too large, and reports that one', async () => {
    const { link, heard, refused } = open(100);
    await turns();
    link.publish('a', new Uint8Array(100));
    link.publish('b', new Uint8Array(101));
    link.publish('c', new Uint8Array(1));
    await turns();
    expect(heard).toEqual(['a', 'c']);
    expect(refused).toEqual([{ subject: 'b', bytes: 101, error: expect.any(Error) }]);
    await link.close();
  });

  it('reports nothing of messages that a closed connection does not take', async () => {
    const { link, connection, heard, refused, ends } = open(100);
    await turns();
    void connection.close();
    link.publish('a', new Uint8Array(1));
    await turns();
    expect([heard, refused]).toEqual([[], []]);
    expect(ends).toEqual([{ reconnects: false, error: undefined }]);
    expect(link.state).toBe('closed');
    await link.close();
  });
});
