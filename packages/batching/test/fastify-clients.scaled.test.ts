import { Agent } from 'node:http';
import { scaled } from '@ticketing/test-kit';
import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import {
  asked,
  createApp,
  Gate,
  left,
  listen,
  overEachProtocol,
  seen,
  wire,
} from './fastify-client.ts';

overEachProtocol(() => {
  const requests = scaled({ fast: 100, full: 1000 });
  const coalesce = { config: { coalesce: true } };
  const gone = (call: { answer: Promise<unknown> }) => expect(call.answer).rejects.toThrow();

  test.each<[string, (gate: Gate) => (request: unknown, reply: never) => unknown]>([
    ['returns', (gate) => () => gate.pass()],
    [
      'sends',
      (gate) => async (_request, reply: { send(value: unknown): unknown }) =>
        reply.send(await gate.pass()),
    ],
    [
      'sends by a callback',
      (gate) => (_request, reply: { send(value: unknown): unknown }) => {
        void gate.pass().then((value) => reply.send(value));
      },
    ],
    [
      'sends by a callback and awaits its reply',
      (gate) => async (_request, reply: { send(value: unknown): unknown }) => {
        void gate.pass().then((value) => reply.send(value));
        return reply;
      },
    ],
  ])('the first client leaves, and a handler that %s answers the others', async (_label, make) => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/', coalesce, make(gate) as never);
    const send = await listen(app);
    const first = send('/');
    await asked(app, 1);
    const others = [send('/'), send('/')];
    await asked(app, 3);
    first.leave();
    await gone(first);
    await left(app, 1);
    gate.open('shared');
    for (const { answer } of others)
      expect(await answer).toMatchObject({ status: 200, body: 'shared' });
    expect(gate.runs).toBe(1);
  });

  test('the first client leaves, and a handler that fails answers the others', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/', coalesce, () => gate.pass());
    const send = await listen(app);
    const first = send('/');
    await asked(app, 1);
    const other = send('/');
    await asked(app, 2);
    first.leave();
    await left(app, 1);
    gate.fail(Object.assign(new Error('no trains'), { statusCode: 502 }));
    expect(await other.answer).toMatchObject({
      status: 502,
      body: '{"statusCode":502,"error":"Bad Gateway","message":"no trains"}',
    });
    expect(gate.runs).toBe(1);
  });

  test('the first client leaves, and a handler that returns nothing is run again by the others', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/', coalesce, async (_request, reply) => {
      reply.code(204);
      await gate.pass();
    });
    const send = await listen(app);
    const first = send('/');
    await asked(app, 1);
    const other = send('/');
    await asked(app, 2);
    first.leave();
    await left(app, 1);
    gate.open();
    await seen(() => gate.runs === 2);
    gate.open();
    expect(await other.answer).toMatchObject({ status: 204, body: '' });
  });

  test('followers leave, and the first one is answered', async () => {
    const app = await createApp();
    const gate = new Gate();
    let signal: AbortSignal | undefined;
    app.get('/', coalesce, (request) => {
      ({ signal } = request.coalesced);
      return gate.pass();
    });
    const send = await listen(app);
    const first = send('/');
    await asked(app, 1);
    const others = [send('/'), send('/')];
    await asked(app, 3);
    for (const other of others) other.leave();
    await left(app, 2);
    expect(signal?.aborted).toBe(false);
    gate.open('still there');
    expect((await first.answer).body).toBe('still there');
  });

  test('the last client leaves: the signal aborts, and the next request runs anew', async () => {
    const app = await createApp();
    const gate = new Gate();
    const signals: AbortSignal[] = [];
    const waiters: number[] = [];
    app.get('/', coalesce, (request) => {
      const { coalesced } = request;
      signals.push(coalesced.signal);
      coalesced.signal.addEventListener('abort', () => waiters.push(coalesced.waiters));
      return gate.pass();
    });
    const send = await listen(app);
    const calls = [send('/')];
    await asked(app, 1);
    calls.push(send('/'));
    await asked(app, 2);
    calls[0]?.leave();
    await left(app, 1);
    expect(signals[0]?.aborted).toBe(false);
    calls[1]?.leave();
    await left(app, 2);
    expect(signals[0]).toMatchObject({ aborted: true, reason: { code: 'ERR_ABORTED' } });
    expect(waiters).toEqual([0]);
    const next = send('/');
    await asked(app, 3);
    expect(gate.runs).toBe(2);
    gate.open('anew');
    expect((await next.answer).body).toBe('anew');
    expect(signals[1]?.aborted).toBe(false);
    expect(app.coalesced.stats()).toMatchObject({ loaded: 2, aborted: 1, inFlight: 0 });
  });

  test('request.coalesced.waiters counts the clients that wait now', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/', coalesce, async (request) => {
      await gate.pass();
      return String(request.coalesced.waiters);
    });
    const send = await listen(app);
    const calls = [send('/'), send('/'), send('/')];
    await asked(app, 3);
    gate.open();
    for (const { answer } of calls) expect((await answer).body).toBe('3');
  });

  test.each<[string, (gate: Gate, reply: FastifyReply) => unknown]>([
    ['returns its reply', (gate, reply) => gate.pass().then(() => reply.raw.end('raw') && reply)],
    ['returns nothing', (gate, reply) => gate.pass().then(() => void reply.raw.end('raw'))],
    ['hijacks', (gate, reply) => gate.pass().then(() => void reply.hijack().raw.end('raw'))],
  ])(
    'the first client leaves, and a handler that writes past Fastify and %s is run again by the others',
    async (_label, run) => {
      const app = await createApp();
      const gate = new Gate();
      app.get('/', coalesce, (_request, reply) => run(gate, reply));
      const send = await listen(app);
      const first = send('/');
      await asked(app, 1);
      const other = send('/');
      await asked(app, 2);
      first.leave();
      await left(app, 1);
      gate.open();
      await seen(() => gate.runs === 2);
      gate.open();
      expect(await other.answer).toMatchObject({ status: 200, body: 'raw' });
    },
  );

  test('a client that left before the handler starts nothing', async () => {
    const app = await createApp();
    const hook = new Gate();
    const gate = new Gate();
    let closed = false;
    app.addHook('preHandler', async (_request, reply) => {
      reply.raw.once('close', () => {
        closed = true;
      });
      await hook.pass();
    });
    app.get('/', coalesce, () => gate.pass());
    const send = await listen(app);
    const call = send('/');
    await seen(() => hook.runs === 1);
    call.leave();
    await seen(() => closed);
    hook.open();
    await asked(app, 1);
    expect(gate.runs).toBe(0);
    expect(app.coalesced.stats()).toMatchObject({ left: 1, loaded: 0 });
  });

  test('the signal of a client that got its answer does not abort, also of one that ran the handler itself', async () => {
    const app = await createApp();
    const gate = new Gate();
    const signals: AbortSignal[] = [];
    let closed = 0;
    app.get('/', coalesce, async (request, reply) => {
      signals.push(request.coalesced.signal);
      reply.raw.once('close', () => {
        closed += 1;
      });
      if (signals.length === 1) await gate.pass();
      return reply.header('set-cookie', 'a=1').send('own');
    });
    const send = await listen(app);
    const calls = [send('/'), send('/')];
    await asked(app, 2);
    gate.open();
    await Promise.all(calls.map(({ answer }) => answer));
    await seen(() => closed === 2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  test('requests over one socket leave nothing behind', async () => {
    const app = await createApp();
    const listeners: string[] = [];
    app.addHook('onRequest', async (request) => {
      const { socket } = request.raw;
      listeners.push(
        socket
          .eventNames()
          .map((name) => socket.listenerCount(name))
          .join(),
      );
    });
    app.get('/', coalesce, async (request) => String(request.coalesced.signal.aborted));
    const send = await listen(app);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let round = 0; round < requests; round++) {
      expect((await send('/', { agent }).answer).body).toBe('false');
    }
    agent.destroy();
    expect(listeners.slice(1)).toEqual(new Array(requests - 1).fill(listeners[1]));
    expect(app.coalesced.stats()).toMatchObject({
      asked: requests,
      loaded: requests,
      inFlight: 0,
      left: 0,
    });
  });

  test('equal requests by inject() share one run', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/', coalesce, () => gate.pass());
    const calls = Array.from({ length: requests }, () => app.inject('/').then(({ body }) => body));
    await asked(app, requests);
    gate.open('once');
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['once']));
    expect(gate.runs).toBe(1);
  });

  test('a request in flight is answered while the app closes', async () => {
    // HTTP/2 servers know no idle connections: their sessions are closed, and end when their streams have.
    const forceCloseConnections = wire.protocol === 'HTTP/1.1' ? 'idle' : true;
    const app = await createApp({}, { forceCloseConnections });
    const gate = new Gate();
    let signal: AbortSignal | undefined;
    app.get('/', coalesce, (request) => {
      ({ signal } = request.coalesced);
      return gate.pass();
    });
    const send = await listen(app);
    const calls = [send('/'), send('/')];
    await asked(app, 2);
    let preClosed = false;
    app.server.once('close', () => {
      preClosed = true;
    });
    const closed = app.close();
    expect(preClosed).toBe(false);
    gate.open('good bye');
    for (const { answer } of calls) {
      expect(await answer).toMatchObject({ status: 200, body: 'good bye' });
    }
    await closed;
    expect(signal?.aborted).toBe(false);
  });

  test('what no server waits for is answered by 503 when the app has closed', async () => {
    const app = await createApp();
    const gate = new Gate();
    let signal: AbortSignal | undefined;
    app.get('/', coalesce, (request) => {
      ({ signal } = request.coalesced);
      return gate.pass();
    });
    const calls = [app.inject('/'), app.inject('/')].map((call) => call.then((answer) => answer));
    await asked(app, 2);
    await app.close();
    expect(signal?.aborted).toBe(true);
    for (const answer of await Promise.all(calls)) {
      expect(answer.statusCode).toBe(503);
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.json()).toMatchObject({ code: 'ERR_CLOSED' });
    }
  });
});
