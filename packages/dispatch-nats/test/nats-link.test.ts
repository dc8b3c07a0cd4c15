import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { systemClock } from '@ticketing/dispatch';
import {
  createManualClock,
  type EngineServer,
  engineProgram,
  startNatsServer,
  turns,
  until,
} from '@ticketing/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NatsLink } from '../src/link/nats-link.ts';

const silent = { connected() {}, disconnected() {} };

it.each([
  ['half of each when chance is 0', 0, [50, 100, 200, 400, 800, 1000, 1000]],
  ['the whole when chance is 1', 1, [100, 200, 400, 800, 1600, 2000, 2000]],
])('a link waits twice as long after each refusal, 2 s at most: %s', async (_, chance, wanted) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const waits: number[] = [];
  const clock = {
    ...systemClock,
    setTimeout: (go: () => void, ms: number) => {
      waits.push(ms);
      // The last one goes on waiting.
      if (waits.length < wanted.length) setImmediate(go);
      return undefined;
    },
  };
  const link = new NatsLink(
    { nats: { servers: `127.0.0.1:${port}` }, name: 'waits', clock, random: () => chance },
    silent,
  );
  await until(() => waits.length === wanted.length);
  expect([waits, link.state]).toEqual([wanted, 'connecting']);
  await link.close();
  expect(waits).toHaveLength(wanted.length);
});

it('a link that is closed during an attempt makes no further one, and leaves no timer', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clock = createManualClock();
  const link = new NatsLink(
    { nats: { servers: `127.0.0.1:${port}` }, name: 'closes', clock, random: () => 1 },
    silent,
  );
  await until(() => sockets.length === 1, 'an attempt');
  let isClosed = false;
  const closed = link.close().then(() => {
    isClosed = true;
  });
  const socket = sockets[0] as Socket;
  const gone = once(socket, 'close');
  // The attempt fails now.
  socket.destroy();
  await gone;
  await until(() => isClosed || clock.pending > 0, 'the end, or a timer for another attempt');
  expect([isClosed, clock.pending, link.state]).toEqual([true, 0, 'closed']);
  await closed;
  await turns(20);
  expect(sockets).toHaveLength(1);
  server.close();
  await once(server, 'close');
});

describe.skipIf(engineProgram('nats') === undefined)(
  'a link with a connection of its own that is closed',
  () => {
    let server: EngineServer;
    beforeAll(async () => {
      server = await startNatsServer();
    });
    afterAll(() => server.close());

    async function open() {
      const clock = createManualClock();
      const options = { nats: { servers: server.url }, name: 'closes', clock, random: () => 0 };
      const link = new NatsLink(options, silent);
      await until(() => link.isConnected);
      const connection = link.nats as NonNullable<typeof link.nats>;
      const order: string[] = [];
      const note = (name: 'publish' | 'flush' | 'close', replaced?: () => Promise<void>) => {
        const call = (replaced ?? connection[name].bind(connection)) as (
          ...all: unknown[]
        ) => unknown;
        Object.assign(connection, {
          [name]: (...all: unknown[]) => {
            order.push(name);
            return call(...all);
          },
        });
      };
      note('publish');
      note('close');
      return { clock, link, connection, order, note };
    }

    it('sends what was published last, and leaves no timer', async () => {
      const { clock, link, connection, order, note } = await open();
      note('flush');
      link.publish('tt.link.last', new Uint8Array(1));
      await link.close();
      expect(order).toEqual(['publish', 'flush', 'close']);
      expect([connection.isClosed(), clock.pending]).toEqual([true, 0]);
    });

    it('waits for a server that is silent for half a second, and no longer', async () => {
      const { clock, link, connection, order, note } = await open();
      note('flush', () => new Promise(() => {}));
      const closing = link.close();
      await turns();
      clock.advance(499);
      await turns();
      expect([order, connection.isClosed()]).toEqual([['flush'], false]);
      clock.advance(1);
      await closing;
      expect([order, connection.isClosed()]).toEqual([['flush', 'close'], true]);
    });
  },
);
