import { Readable } from 'node:stream';
import { createManualClock } from '@ticketing/test-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { asked, createApp, Gate, listen, overEachProtocol, seen } from './fastify-client.ts';

overEachProtocol(() => {
  const coalesce = { config: { coalesce: true } };

  test('an error goes through the error handler once, and its answer is shared', async () => {
    const app = await createApp();
    const gate = new Gate();
    let handled = 0;
    app.setErrorHandler((error: Error, _request, reply) => {
      handled += 1;
      return reply.code(418).header('x-error', 'tea').send({ problem: error.message });
    });
    app.get('/', coalesce, () => gate.pass());
    const send = await listen(app);
    const calls = [send('/'), send('/'), send('/')];
    await asked(app, 3);
    gate.fail(new Error('no coffee'));
    for (const { answer } of calls) {
      const { status, headers, body } = await answer;
      expect({ status, body }).toEqual({ status: 418, body: '{"problem":"no coffee"}' });
      expect(headers['x-error']).toBe('tea');
    }
    expect({ handled, runs: gate.runs }).toEqual({ handled: 1, runs: 1 });
  });

  test.each([404, 500])('an answer of status %i is shared', async (status) => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/', coalesce, async (_request, reply) => {
      await gate.pass();
      return reply.code(status).send({ run: gate.runs });
    });
    const send = await listen(app);
    const calls = [send('/'), send('/')];
    await asked(app, 2);
    gate.open();
    for (const { answer } of calls)
      expect(await answer).toMatchObject({ status, body: '{"run":1}' });
  });

  test('304 is for clients alone who sent the condition', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.addHook('onSend', async (request, reply, payload) => {
      if (request.headers['if-none-match'] !== reply.getHeader('etag')) return payload;
      reply.code(304);
      return '';
    });
    app.get('/', coalesce, async (_request, reply) => {
      await gate.pass();
      return reply.header('etag', '"a"').send('body');
    });
    const send = await listen(app);
    const headers = { 'if-none-match': '"a"' };
    const calls = [send('/', { headers }), send('/'), send('/', { headers }), send('/')];
    await asked(app, 4);
    expect(gate.runs).toBe(2);
    gate.open();
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual([
      '304 ',
      '200 body',
      '304 ',
      '200 body',
    ]);
    for (const { headers } of answers) expect(headers.etag).toBe('"a"');
  });

  test('a handler that throws at once is answered, and the next request runs anew', async () => {
    const app = await createApp();
    let runs = 0;
    app.get('/', coalesce, () => {
      throw new Error(`run ${++runs}`);
    });
    for (const run of [1, 2]) {
      const answer = await app.inject('/');
      expect(answer.statusCode).toBe(500);
      expect(answer.json().message).toBe(`run ${run}`);
    }
    expect(app.coalesced.stats().inFlight).toBe(0);
  });

  test.each<[string, (reply: FastifyReply) => unknown]>([
    ['a stream', () => Readable.from(['one'])],
    ['a web stream', () => Readable.toWeb(Readable.from([Buffer.from('one')]))],
    ['a Response', () => new Response('one')],
    ['a cookie', (reply) => reply.header('set-cookie', 'session=1').send('one')],
    ['Vary: *', (reply) => reply.header('vary', '*').send('one')],
    [
      'hijack()',
      (reply) => {
        reply.hijack().raw.end('one');
      },
    ],
    [
      'raw.end()',
      (reply) => {
        reply.raw.end('one');
        return reply;
      },
    ],
    ['callNotFound()', (reply) => reply.callNotFound()],
    ['a trailer', (reply) => reply.trailer('etag', async () => '"a"' as never).send('one')],
  ])('%s is not shared: each request runs the handler', async (_label, answerBy) => {
    const app = await createApp();
    const gate = new Gate();
    let runs = 0;
    app.setNotFoundHandler((_request, reply) => reply.send('one'));
    app.get('/', coalesce, async (request: FastifyRequest, reply) => {
      if (++runs === 1) await gate.pass();
      expect(request.coalesced.signal.aborted).toBe(false);
      return answerBy(reply);
    });
    const send = await listen(app);
    const calls = [send('/'), send('/'), send('/')];
    await asked(app, 3);
    gate.open();
    for (const { answer } of calls)
      expect(await answer).toMatchObject({ status: 200, body: 'one' });
    expect(runs).toBe(3);
  });

  test('a handler with a callback runs for each request of an answer that is not shared', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/', coalesce, (_request, reply) => {
      void gate.pass().then(() => reply.header('set-cookie', 'a=1').send(`run ${gate.runs}`));
    });
    const send = await listen(app);
    const calls = [send('/'), send('/'), send('/')];
    await asked(app, 3);
    gate.open();
    await seen(() => gate.runs === 3);
    gate.open();
    const bodies = await Promise.all(calls.map(async ({ answer }) => (await answer).body));
    expect(bodies.sort()).toEqual(['run 1', 'run 3', 'run 3']);
  });

  test('an answer that varies is shared by requests that are equal in it, and further ones wait apart', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/', coalesce, async (request, reply) => {
      await gate.pass();
      return reply.header('vary', 'Accept-Language').send(request.headers['accept-language']);
    });
    const send = await listen(app);
    const calls = ['es', 'en', 'es', 'en'].map((language) =>
      send('/', { headers: { 'accept-language': language } }),
    );
    await asked(app, 4);
    gate.open();
    await asked(app, 6);
    expect(gate.runs).toBe(2);
    gate.open();
    const bodies = await Promise.all(calls.map(async ({ answer }) => (await answer).body));
    expect(bodies).toEqual(['es', 'en', 'es', 'en']);
    const later = [
      send('/', { headers: { 'accept-language': 'es' } }),
      send('/', { headers: { 'accept-language': 'en' } }),
    ];
    await asked(app, 8);
    expect(gate.runs).toBe(4);
    gate.open();
    await Promise.all(later.map(({ answer }) => answer));
  });

  test('a handler with a callback may answer late to those that an answer was not for', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/', coalesce, (request, reply) => {
      const language = request.headers['accept-language'];
      void gate.pass().then(() => reply.header('vary', 'Accept-Language').send(language));
    });
    const send = await listen(app);
    const calls = ['es', 'en', 'en'].map((language) =>
      send('/', { headers: { 'accept-language': language } }),
    );
    await asked(app, 3);
    gate.open();
    await asked(app, 5);
    expect(gate.runs).toBe(2);
    // An answer that Fastify made of the handler's `undefined` would come now.
    await send('/none').answer;
    gate.open();
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual([
      '200 es',
      '200 en',
      '200 en',
    ]);
  });

  test('each client is seen by its own hooks, keeps their headers, and gets the body of the leader', async () => {
    const app = await createApp({ header: true });
    const gate = new Gate();
    const seenBy: string[] = [];
    app.addHook('onRequest', async (request, reply) => {
      seenBy.push(`request ${request.id}`);
      reply.header('x-id', request.id).header('x-dropped', request.id);
    });
    app.addHook('onSend', async (request, reply, payload) => {
      reply.header('x-sent', request.id).header('content-language', request.id);
      return payload === undefined ? payload : `<${payload}>`;
    });
    app.get('/', coalesce, async (_request, reply) => {
      await gate.pass();
      return reply
        .removeHeader('x-dropped')
        .header('connection', 'x-hop')
        .header('x-hop', '1')
        .send('body');
    });
    const send = await listen(app);
    const first = send('/');
    await asked(app, 1);
    const second = send('/');
    await asked(app, 2);
    gate.open();
    const [one, two] = await Promise.all([first.answer, second.answer]);
    expect(seenBy).toEqual(['request req-1', 'request req-2']);
    expect([one.body, two.body]).toEqual(['<body>', '<body>']);
    expect(one.headers).toMatchObject({ 'x-id': 'req-1', 'x-sent': 'req-1', 'x-hop': '1' });
    expect(two.headers).toMatchObject({
      'x-id': 'req-2',
      'x-sent': 'req-2',
      'content-language': 'req-1',
      'x-coalesced': '1',
    });
    expect(one.headers).not.toHaveProperty('x-coalesced');
    for (const { headers } of [one, two]) expect(headers).not.toHaveProperty('x-dropped');
    expect(two.headers).not.toHaveProperty('x-hop');
  });

  test('a client whose own hook refuses it is refused, and joins nothing', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.addHook('preHandler', async (request, reply) => {
      if (request.headers['x-user'] !== 'known') return reply.code(401).send('who?');
    });
    app.get('/', coalesce, () => gate.pass());
    const send = await listen(app);
    const known = send('/', { headers: { 'x-user': 'known' } });
    await asked(app, 1);
    expect(await send('/').answer).toMatchObject({ status: 401, body: 'who?' });
    gate.open('secret');
    expect((await known.answer).body).toBe('secret');
  });

  test('a client whose own onSend hook fails gets that error, and harms no other', async () => {
    const app = await createApp();
    const gate = new Gate();
    let failed = false;
    app.addHook('onSend', async (request) => {
      if (request.id !== 'req-2' || failed) return;
      failed = true;
      throw new Error('hook of one');
    });
    app.get('/', coalesce, () => gate.pass());
    const send = await listen(app);
    const calls = [];
    for (let count = 1; count <= 3; count++) {
      calls.push(send('/'));
      await asked(app, count);
    }
    gate.open('body');
    const [one, two, three] = await Promise.all(calls.map(({ answer }) => answer));
    expect([one?.body, three?.body]).toEqual(['body', 'body']);
    expect(two?.status).toBe(500);
    expect(JSON.parse(two?.body ?? '')).toMatchObject({ message: 'hook of one' });
  });

  test('above a bound a request gets 503 with the code, or a run of its own', async () => {
    for (const overflow of ['reject', 'bypass'] as const) {
      const app = await createApp({ maxKeys: 1, maxWaitersPerKey: 2, overflow });
      const gate = new Gate();
      app.get('/*', coalesce, () => gate.pass());
      const send = await listen(app);
      const calls = [];
      for (const [index, path] of ['/a', '/a', '/a', '/b'].entries()) {
        calls.push(send(path));
        await asked(app, index + 1);
      }
      gate.open('ok');
      const answers = await Promise.all(calls.map(({ answer }) => answer));
      const codes = answers.map(({ body }) => (body === 'ok' ? body : JSON.parse(body).code));
      const refused = ['ERR_TOO_MANY_WAITERS', 'ERR_TOO_MANY_KEYS'];
      expect(codes).toEqual(['ok', 'ok', ...(overflow === 'reject' ? refused : ['ok', 'ok'])]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses).toEqual(overflow === 'reject' ? [200, 200, 503, 503] : [200, 200, 200, 200]);
      const waits = answers.map(({ headers }) => headers['retry-after']);
      expect(waits).toEqual(statuses.map((status) => (status === 503 ? '1' : undefined)));
      expect(gate.runs).toBe(overflow === 'reject' ? 1 : 3);
    }
  });

  test.each<[string, (gate: Gate, signal: AbortSignal, reply: FastifyReply) => unknown]>([
    ['that goes on', (gate) => gate.pass()],
    [
      'that gives up',
      (gate, signal) =>
        Promise.race([
          gate.pass(),
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(new Error('gave up'))),
          ),
        ]),
    ],
    [
      'with a callback',
      (gate, _signal, reply) => {
        void gate.pass().then((value) => reply.send(value));
      },
    ],
  ])('after loadTimeoutMs all that wait for a handler %s get 504', async (_label, run) => {
    const clock = createManualClock();
    const app = await createApp({ loadTimeoutMs: 500, clock, name: 'trains' });
    const gate = new Gate();
    let signal: AbortSignal | undefined;
    app.get('/', coalesce, (request, reply) => {
      ({ signal } = request.coalesced);
      return run(gate, signal, reply);
    });
    const send = await listen(app);
    const calls = [send('/'), send('/')];
    await asked(app, 2);
    clock.advance(500);
    for (const { answer } of calls) {
      const { status, body } = await answer;
      expect(status).toBe(504);
      expect(JSON.parse(body)).toEqual({
        statusCode: 504,
        code: 'ERR_LOAD_TIMEOUT',
        error: 'Gateway Timeout',
        message: 'Load of `trains` did not finish within `loadTimeoutMs` (500 ms)',
      });
    }
    expect(signal?.aborted).toBe(true);
    gate.open('late');
    expect(clock.pending).toBe(0);
  });

  test('no credential is in an error', async () => {
    const app = await createApp({ maxKeys: 1 });
    const gate = new Gate();
    const errors: unknown[] = [];
    app.addHook('onError', async (_request, _reply, error) => {
      errors.push(error);
    });
    app.get('/*', coalesce, () => gate.pass());
    const headers = { authorization: 'Bearer hidden', cookie: 'hidden=1' };
    const first = app.inject({ url: '/a', headers }).then(({ body }) => body);
    await asked(app, 1);
    expect((await app.inject({ url: '/b', headers })).statusCode).toBe(503);
    gate.open('ok');
    expect(await first).toBe('ok');
    expect(errors).toMatchObject([{ code: 'ERR_TOO_MANY_KEYS', statusCode: 503 }]);
    expect(JSON.stringify(errors)).not.toMatch(/hidden/);
  });
});
