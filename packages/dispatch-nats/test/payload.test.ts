import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { systemClock } from '@ticketing/dispatch';
import { engineProgram, turns } from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NatsHostEvent } from '../src/index.ts';
import { type LinkEnd, NatsLink } from '../src/link/nats-link.ts';
import type { UnsentMessage } from '../src/link/outbox.ts';
import { startFleet } from './fleet-fixture.ts';
import { createMemoryNats } from './memory-nats.ts';

const unsent: NatsHostEvent[] = [];
const note = (event: unknown): void => {
  if ((event as NatsHostEvent).type === 'unsent') unsent.push(event as NatsHostEvent);
};
beforeEach(() => {
  unsent.length = 0;
  subscribe('ticketing:dispatch-nats:host', note);
});
afterEach(() => unsubscribe('ticketing:dispatch-nats:host', note));

describe.skipIf(engineProgram('nats') === undefined)('a server', () => {
  it('that takes no announcement of so many tasks: ready() of the host rejects with that reason', async () => {
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
