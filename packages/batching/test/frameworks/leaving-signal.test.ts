// A client that leaves: its signal aborts, nothing is answered, and no framework logs anything.
import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { leavingSignal } from '../../src/http/index.ts';
import { overHttp1, seen } from '../fastify-client.ts';
import { listen } from './framework.ts';
import { frameworks } from './frameworks.ts';
import { start } from './service-client.ts';

const logged: unknown[] = [];
const names = Object.keys(frameworks).filter((name) => name !== 'Fastify');

/** Notes all that is written to the console, also past `console`, as Nest does. */
beforeEach(() => {
  logged.length = 0;
  for (const method of ['error', 'warn', 'info', 'log'] as const) {
    vi.spyOn(console, method).mockImplementation((...values) => void logged.push(values));
  }
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => logged.push(text) > 0);
  }
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(names)('%s', (name) => {
  test.each([
    ['on a plain route', '/plain', 'the reason'],
    ['on a plain route', '/plain', 'an AbortError'],
    ['on a coalesced route', '/shared/a', 'the reason'],
    ['on a coalesced route', '/shared/a', 'an AbortError'],
  ])(
    '%s: a client that leaves aborts the signal, and a handler of %s that throws %s logs nothing',
    async (_label, path, how) => {
      const signals: AbortSignal[] = [];
      let thrown = 0;
      const { send } = await start(name, {
        handler: async ({ leaving, url }) => {
          if (url.startsWith('/plain?after')) return { body: 'after' };
          const signal = leaving();
          signals.push(signal, leaving());
          if (!signal.aborted) await once(signal, 'abort');
          thrown += 1;
          if (how === 'the reason') throw signal.reason;
          throw new DOMException('This operation was aborted', 'AbortError');
        },
      });
      const call = send(path);
      await seen(() => signals.length === 2);
      expect(signals[0]?.aborted).toBe(false);
      call.leave();
      await expect(call.answer).rejects.toThrow();
      await seen(() => thrown === 1);
      expect(signals[1]).toBe(signals[0]);
      expect(signals[0]?.reason).toMatchObject({ code: 'ERR_ABORTED' });
      // By then the framework has dealt with it, and the server goes on.
      expect((await send('/plain?after').answer).body).toBe('after');
      expect(logged).toEqual([]);
    },
  );

  test('an error of the program is logged, although the client has left', async () => {
    let ran = false;
    const { send } = await start(name, {
      handler: async ({ leaving, url }) => {
        if (url.startsWith('/plain?after')) return { body: 'after' };
        const signal = leaving();
        ran = true;
        await once(signal, 'abort');
        throw new TypeError('x is not a function');
      },
    });
    const call = send('/plain');
    await seen(() => ran);
    call.leave();
    await seen(() => logged.length > 0);
    expect(logged.flat().map(String).join()).toContain('x is not a function');
  });
});

test('followers run the handler if the one that leads gave up for its own client', async () => {
  let runs = 0;
  for (const name of names) {
    runs = 0;
    const { send, asked, left } = await start(name, {
      handler: async () => {
        if (++runs > 1) return { body: 'own' };
        await gate;
        throw new DOMException('This operation was aborted', 'AbortError');
      },
    });
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const first = send('/shared/a');
    await asked(1);
    const other = send('/shared/a');
    await asked(2);
    first.leave();
    await left(1);
    open();
    expect((await other.answer).body, name).toBe('own');
    expect(runs).toBe(2);
  }
});

/** Serves; returns the responses as they come, with a port. */
async function serve(answer: (response: ServerResponse) => void) {
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    responses.push(response);
    answer(response);
  });
  return { responses, port: await listen(server) };
}

test('leavingSignal() leaves no listener on a response or connection, and does not abort once it has ended', async () => {
  const signals: AbortSignal[] = [];
  const { responses, port } = await serve((response) => {
    const before = response.listenerCount('close');
    signals.push(leavingSignal(response), leavingSignal(response));
    expect(response.listenerCount('close')).toBe(before + 1);
    response.end('ok');
  });
  for (let count = 0; count < 20; count++) await overHttp1(port)('/').answer;
  await seen(() => responses.every(({ destroyed, closed }) => destroyed || closed));
  expect(responses.map((response) => response.listenerCount('close'))).toEqual(
    responses.map(() => 0),
  );
  expect(signals.some(({ aborted }) => aborted)).toBe(false);
  expect(new Set(signals).size).toBe(20);
});

test('leavingSignal() is aborted at once for a client that has left before', async () => {
  const { responses, port } = await serve(() => {});
  const call = get({ port, host: '127.0.0.1' }).on('error', () => {});
  await seen(() => responses.length === 1);
  call.destroy();
  await once(responses[0] as ServerResponse, 'close');
  expect(leavingSignal(responses[0] as ServerResponse).aborted).toBe(true);
});

test('leavingSignal() aborts for requests that were sent ahead on a connection', async () => {
  const { responses, port } = await serve(() => {});
  const socket = connectTcp(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(20));
  await seen(() => responses.length === 20);
  const connection = responses[0]?.socket;
  const before = connection?.listenerCount('close') ?? 0;
  const signals = responses.map(leavingSignal);
  expect(connection?.listenerCount('close')).toBe(before + 1);
  socket.destroy();
  await seen(() => signals.every(({ aborted }) => aborted));
});
