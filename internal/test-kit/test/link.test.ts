import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createLink, type Link, type LinkOptions } from '../src/link.ts';
import { createManualClock } from '../src/manual-clock.ts';
import { turns, until } from '../src/until.ts';

/** A server that keeps what it gets, behind a link, and one client. */
async function linked(options: Omit<LinkOptions, 'to'> = {}) {
  const accepted: Socket[] = [];
  const server = createServer((socket) => void accepted.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const link = await createLink({ to: port, ...options });
  onTestFinished(async () => {
    await link.close();
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  const client = await join(link);
  await until(() => accepted.length === 1);
  return { link, client, server: read(accepted[0] as Socket), accepted };
}

async function join(link: Link) {
  const socket = connect(link.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const end = read(socket);
  await until(() => !socket.connecting);
  return end;
}

function read(socket: Socket) {
  const end = { socket, text: '', error: '', isClosed: false };
  socket.setEncoding('utf8').on('data', (text) => {
    end.text += text;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    end.error = error.code ?? error.message;
  });
  socket.on('close', () => {
    end.isClosed = true;
  });
  return end;
}

test('createLink() passes bytes and ends both ways', async () => {
  const { link, client, server } = await linked();
  client.socket.write('question');
  await until(() => server.text === 'question');
  server.socket.write('answer');
  await until(() => client.text === 'answer');
  client.socket.end();
  await until(() => server.isClosed && client.isClosed);
  await until(() => link.connections === 0);
});

test('createLink() delays each way by delayMs ± jitterMs and keeps the order', async () => {
  const clock = createManualClock();
  const random = [0, 1, 0.5][Symbol.iterator]();
  const { client, server } = await linked({
    clock,
    delayMs: 20,
    jitterMs: 5,
    random: () => random.next().value ?? 0.5,
  });
  client.socket.write('a'); // after 15 ms
  await until(() => clock.pending === 1);
  clock.advance(14);
  await turns();
  expect(server.text).toBe('');
  clock.advance(1);
  await until(() => server.text === 'a');
  server.socket.write('b'); // after 25 ms
  await until(() => clock.pending === 1);
  clock.advance(24);
  await turns();
  expect(client.text).toBe('');
  clock.advance(1);
  await until(() => client.text === 'b');
});

test('createLink() limits bytes per second over all connections', async () => {
  const clock = createManualClock();
  const { link, client, server, accepted } = await linked({ clock, bytesPerSecond: 1000 });
  const other = await join(link);
  await until(() => accepted.length === 2);
  client.socket.write('a'.repeat(500));
  await until(() => link.held === 500);
  other.socket.write('b'.repeat(500));
  await until(() => link.held === 1000);
  const second = read(accepted[1] as Socket);
  clock.advance(500);
  await until(() => server.text.length === 500);
  expect(second.text).toBe('');
  clock.advance(500);
  await until(() => second.text.length === 500);
});

test('stall() holds a bounded number of bytes, which open() passes on', async () => {
  const { link, client, server } = await linked();
  link.stall();
  client.socket.write('x'.repeat(8_000_000));
  await until(() => link.held >= 262_144);
  await turns(20);
  // One read of a socket is 64 KiB.
  expect(link.held).toBeLessThanOrEqual(262_144 + 65_536);
  expect(server.text).toBe('');
  expect(client.isClosed).toBe(false);
  link.open();
  await until(() => server.text.length === 8_000_000);
  expect(link.held).toBe(0);
});

test('cut() resets what is there and what comes, until open()', async () => {
  const { link, client, server } = await linked();
  link.cut();
  await until(() => client.error === 'ECONNRESET' && server.isClosed);
  const refused = await join(link);
  await until(() => refused.isClosed);
  link.open();
  const again = await join(link);
  again.socket.write('back');
  await until(() => link.connections === 1);
  expect(again.isClosed).toBe(false);
});

test('halfOpen() resets the server; the client notices at open()', async () => {
  const { link, client, server, accepted } = await linked();
  link.halfOpen();
  await until(() => server.isClosed);
  client.socket.write('lost');
  const late = await join(link);
  late.socket.write('lost too');
  await turns(20);
  expect([client.isClosed, late.isClosed]).toEqual([false, false]);
  link.open();
  await until(() => client.isClosed && late.isClosed);
  expect(client.error).toBe('ECONNRESET');
  const again = await join(link);
  again.socket.write('back');
  await until(() => accepted.length > 1 && link.connections === 1);
});

test('a server that resets, resets the client', async () => {
  const { client, server } = await linked();
  server.socket.resetAndDestroy();
  await until(() => client.isClosed);
});

test('createLink() to a port where nobody listens resets its clients', async () => {
  const link = await createLink({ to: { host: '127.0.0.1', port: 1 } });
  onTestFinished(link.close);
  const client = await join(link);
  await until(() => client.isClosed && link.connections === 0);
});

test('whatever a link does, bytes arrive in order and at most once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('write', 'stall', 'open', 'advance'), { maxLength: 30 }),
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      async (steps, numbers) => {
        const clock = createManualClock();
        const { link, client, server, accepted } = await linked({
          clock,
          delayMs: 10,
          jitterMs: 10,
          bytesPerSecond: 100,
          random: () => numbers.next().value ?? 0,
        });
        let sent = '';
        for (const step of steps) {
          if (step === 'stall') link.stall();
          if (step === 'open') link.open();
          if (step === 'advance') clock.advance(7);
          if (step === 'write') {
            const text = String.fromCharCode(97 + (sent.length % 26));
            sent += text;
            client.socket.write(text);
            await turns(2);
          }
          expect(sent.startsWith(server.text)).toBe(true);
        }
        link.open();
        await until(async () => {
          clock.advance(10);
          await turns(1);
          return server.text === sent;
        });
        await link.close();
        for (const socket of accepted) socket.destroy();
      },
    ),
    { numRuns: 20 },
  );
});
