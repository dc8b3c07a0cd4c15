import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from '@nats-io/transport-node';
import { createInProcessDispatcher, defineTasks, systemClock } from '@ticketing/dispatch';
import { engineProgram, scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNatsDispatcher, type NatsHostEvent, serveNatsTasks } from '../src/index.ts';
import { startFleet } from './fleet-fixture.ts';
import { createMemoryNats } from './memory-nats.ts';

const KIB = 1024;
const HEAD_BYTES = 12;
/** Largest piece, whatever the server takes. */
const LARGEST_PIECE = 512 * KIB;

/** Bytes of a value that fill `pieces` pieces of a server, more or less. */
const around = (limit: number, pieces: number): number[] => {
  const bytes = pieces * (limit - HEAD_BYTES);
  return [-200, -64, -12, 0, 12].map((more) => bytes + more);
};

/** Collects the messages that hosts could not send, to the end of the test. */
function notesOfUnsent(): readonly NatsHostEvent[] {
  const unsent: NatsHostEvent[] = [];
  const note = (event: unknown): void => {
    if ((event as NatsHostEvent).type === 'unsent') unsent.push(event as NatsHostEvent);
  };
  subscribe('ticketing:dispatch-nats:host', note);
  onTestFinished(() => void unsubscribe('ticketing:dispatch-nats:host', note));
  return unsent;
}

describe.skipIf(engineProgram('nats') === undefined)('a server', () => {
  it.each(scaled({ fast: [1], full: [1, 4, 64, 512, 1024, 8192] }))(
    'with `max_payload` of %i KiB takes calls of any size, which cost no neighbour its session',
    async (kib) => {
      const limit = kib * KIB;
      const unsent = notesOfUnsent();
      await using fleet = await startFleet({ config: `max_payload: ${limit}\n` });
      await fleet.serve('a');
      const dispatcher = fleet.dispatch();
      await dispatcher.ready();
      const spy = await connect({ servers: fleet.server.url });
      const sizes = new Set<number>();
      spy.subscribe('tt.test.>', { callback: (_, { data }) => void sizes.add(data.byteLength) });
      await spy.flush();
      const neighbours = Array.from({ length: 8 }, () => dispatcher.run('pause', 50));
      const piece = Math.min(limit, LARGEST_PIECE);
      for (const bytes of [...around(piece, 1), ...around(piece, 2), 4 * piece]) {
        const value = Buffer.alloc(bytes, bytes % 251);
        // Both ways.
        const back = (await dispatcher.run('echo', value)) as Uint8Array;
        expect([bytes, Buffer.compare(value, back)]).toEqual([bytes, 0]);
      }
      expect(await Promise.all(neighbours)).toEqual(neighbours.map(() => 'a'));
      await spy.flush();
      expect(Math.max(...sizes)).toBe(piece);
      expect(dispatcher.stats()).toMatchObject({ lost: 0, failed: 0 });
      expect(Object.values(dispatcher.fleet().lost)).toEqual([0, 0, 0, 0, 0, 0]);
      expect(unsent).toEqual([]);
      await spy.close();
    },
  );
});

it('calls of any size around the borders of pieces arrive, and no message is larger than the server takes', async () => {
  const unsent = notesOfUnsent();
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
    { numRuns: scaled({ fast: 10, full: 60 }) },
  );
});
