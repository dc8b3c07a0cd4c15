import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from '@nats-io/transport-node';
import { engineProgram } from '@ticketing/test-kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NatsHostEvent } from '../src/index.ts';
import { startFleet } from './fleet-fixture.ts';

const KIB = 1024;
const HEAD_BYTES = 12;
/** Largest piece, whatever the server takes. */
const LARGEST_PIECE = 512 * KIB;

/** Bytes of a value that fill `pieces` pieces of a server, more or less. */
const around = (limit: number, pieces: number): number[] => {
  const bytes = pieces * (limit - HEAD_BYTES);
  return [-200, -64, -12, 0, 12].map((more) => bytes + more);
};

/** Returns what hosts could not send, to the end of the test. */
function notesOfUnsent(): readonly NatsHostEvent[] {
  const unsent: NatsHostEvent[] = [];
  const note = (event: unknown): void => {
    if ((event as NatsHostEvent).type === 'unsent') unsent.push(event as NatsHostEvent);
  };
  subscribe('ticketing:dispatch-nats:host', note);
  onTestFinished(() => void unsubscribe('ticketing:dispatch-nats:host', note));
  return unsent;
}

/** Tests calls of every size over servers that take so many KiB in a message. */
export function testPayloads(kibs: readonly number[]): void {
  describe.skipIf(engineProgram('nats') === undefined)('a server', () => {
    it.each(kibs)(
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
          // There and back.
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
}
