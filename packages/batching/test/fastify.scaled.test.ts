import fastify from 'fastify';
import { expect, test } from 'vitest';
import { coalesceRoutes } from '../src/fastify/index.ts';
import { asked, createApp, Gate, listen, overEachProtocol, wire } from './fastify-client.ts';

overEachProtocol(() => {
  const coalesce = { config: { coalesce: true } };

  test('coalesceRoutes shares one run of a handler, its bytes, status and headers between 100 requests', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/trains', coalesce, async (_request, reply) => {
      const trains = await gate.pass();
      return reply.code(203).header('x-run', gate.runs).header('etag', '"a"').send(trains);
    });
    const send = await listen(app);
    const calls = Array.from({ length: 100 }, () => send('/trains?from=MAD'));
    await asked(app, 100);
    gate.open({ city: 'Málaga', at: 1 });
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    expect(gate.runs).toBe(1);
    for (const { status, headers, body } of answers) {
      expect({ status, body }).toEqual({ status: 203, body: '{"city":"Málaga","at":1}' });
      expect(headers).toMatchObject({
        'x-run': '1',
        etag: '"a"',
        'content-length': '25',
        'content-type': 'application/json; charset=utf-8',
      });
      expect(headers).not.toHaveProperty('x-coalesced');
    }
    expect(app.coalesced.stats()).toMatchObject({
      name: 'routes',
      asked: 100,
      loaded: 1,
      joined: 99,
      inFlight: 0,
    });
  });

  test('coalesceRoutes runs the handler anew once it has answered', async () => {
    const app = await createApp();
    let runs = 0;
    app.get('/', coalesce, async () => `run ${++runs}`);
    const send = await listen(app);
    expect((await send('/').answer).body).toBe('run 1');
    expect((await send('/').answer).body).toBe('run 2');
  });

  test.each<[string, Record<string, string>, Record<string, string>, string?]>([
    ['the Authorization', { authorization: 'Bearer a' }, { authorization: 'Bearer b' }],
    ['an Authorization and none', {}, { authorization: 'Bearer b' }],
    ['the Cookie', { cookie: 'user=a' }, { cookie: 'user=b' }],
    ['a header of the plugin', { 'x-tenant': 'a' }, { 'x-tenant': 'b' }],
    ['a header of the route', { accept: 'a/b' }, { accept: 'b/c' }],
    ['the host', { host: 'a.example.org' }, { host: 'b.example.org' }],
    ['a condition', {}, { 'if-none-match': '"a"' }],
    ['the range', { range: 'bytes=0-1' }, { range: 'bytes=1-2' }],
    ['the query', {}, {}, '/page?a=2'],
    ['the order of the query', {}, {}, '/page?b=2&a=1'],
  ])('coalesceRoutes does not share what differs in %s', async (_label, one, other, path) => {
    const app = await createApp({ vary: ['X-Tenant'] });
    const gate = new Gate();
    const config = { coalesce: { vary: ['Accept'] } };
    app.get('/page', { config }, async (request) => {
      await gate.pass();
      return JSON.stringify(request.headers);
    });
    const send = await listen(app);
    const calls = [
      send('/page?a=1&b=2', { headers: one }),
      send(path ?? '/page?a=1&b=2', { headers: other }),
    ];
    await asked(app, 2);
    expect(gate.runs).toBe(2);
    gate.open();
    const bodies = await Promise.all(
      calls.map(async ({ answer }) => JSON.parse((await answer).body)),
    );
    const sent = ({ host, ...headers }: Record<string, string>) =>
      host !== undefined && wire.protocol !== 'HTTP/1.1'
        ? { ':authority': host, ...headers }
        : { ...headers, ...(host && { host }) };
    expect(bodies[0]).toMatchObject(sent(one));
    expect(bodies[1]).toMatchObject(sent(other));
  });

  test('coalesceRoutes shares across credentials, cookies included, only where the route says so', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.addHook('onRequest', async (request, reply) => {
      reply.header('set-cookie', `own=${request.headers.authorization}`);
    });
    app.get('/', { config: { coalesce: { shareCredentials: true } } }, async (_request, reply) => {
      await gate.pass();
      return reply.header('set-cookie', 'shown=1').send('open to all');
    });
    const send = await listen(app);
    const calls = ['a', 'b'].map((authorization) =>
      send('/', { headers: { authorization, cookie: `user=${authorization}` } }),
    );
    await asked(app, 2);
    gate.open();
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    expect(answers.map(({ headers }) => headers['set-cookie'])).toEqual([
      ['own=a', 'shown=1'],
      ['own=b', 'shown=1'],
    ]);
    expect(gate.runs).toBe(1);
  });

  test('coalesceRoutes goes by the key of a route, and by credentials besides', async () => {
    const app = await createApp();
    const gate = new Gate();
    const key = (request: { body: unknown }) => (request.body as { from: string }).from;
    app.post('/search', { config: { coalesce: { key } } }, () => gate.pass());
    const send = (from: string, authorization = '') =>
      app.inject({ method: 'POST', url: '/search', headers: { authorization }, payload: { from } });
    const calls = [send('MAD'), send('MAD'), send('BCN'), send('MAD', 'Bearer a')];
    await asked(app, 4);
    expect(gate.runs).toBe(3);
    gate.open('found');
    for (const { body } of await Promise.all(calls)) expect(body).toBe('found');
  });

  test('coalesceRoutes keeps routes of one URL apart', async () => {
    const app = await createApp();
    const gate = new Gate();
    for (const version of ['1.0.0', '2.0.0']) {
      app.get('/', { ...coalesce, constraints: { version } }, async () => {
        await gate.pass();
        return version;
      });
    }
    const send = await listen(app);
    const calls = ['1.0.0', '2.0.0'].map((version) =>
      send('/', { headers: { 'accept-version': version } }),
    );
    await asked(app, 2);
    gate.open();
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    expect(answers.map(({ body }) => body)).toEqual(['1.0.0', '2.0.0']);
  });

  test('coalesceRoutes leaves routes alone that do not take part', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/off', { config: { coalesce: false } }, () => gate.pass());
    app.get('/plain', () => gate.pass());
    const calls = ['/off', '/off', '/plain', '/plain'].map((url) =>
      app.inject(url).then(({ body }) => body),
    );
    await expect.poll(() => gate.runs, { interval: 1 }).toBe(4);
    gate.open('ok');
    expect(await Promise.all(calls)).toEqual(calls.map(() => 'ok'));
    expect(app.coalesced.stats().asked).toBe(0);
  });

  test('coalesceRoutes answers HEAD as GET without its body, and shares it apart', async () => {
    const app = await createApp();
    const gate = new Gate();
    app.get('/', coalesce, () => gate.pass());
    app.route({ method: ['GET', 'HEAD'], url: '/both', ...coalesce, handler: () => gate.pass() });
    const send = await listen(app);
    const paths = ['/', '/both'];
    const methods = ['HEAD', 'HEAD', 'GET', 'GET'];
    const calls = paths.flatMap((path) => methods.map((method) => send(path, { method })));
    await asked(app, 8);
    expect(gate.runs).toBe(4);
    gate.open('twelve bytes');
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers['content-length']).toBe('12');
    }
    const bodies = ['', '', 'twelve bytes', 'twelve bytes'];
    expect(answers.map(({ body }) => body)).toEqual([...bodies, ...bodies]);
  });

  test('coalesceRoutes holds for the scope that registers it; two scopes have nothing in common', async () => {
    const app = fastify();
    const gate = new Gate();
    for (const name of ['one', 'two']) {
      await app.register(
        async (scope) => {
          await scope.register(coalesceRoutes, { name });
          scope.get('/', coalesce, () => gate.pass());
          scope.get('/stats', async () => scope.coalesced.stats());
          await scope.register(async (child) => {
            child.get('/child', coalesce, () => gate.pass());
          });
        },
        { prefix: name },
      );
    }
    const urls = ['/one', '/one', '/two', '/two', '/one/child', '/one/child'];
    const calls = urls.map((url) => app.inject(url).then(({ body }) => body));
    await expect.poll(() => gate.runs, { interval: 1 }).toBe(3);
    await expect
      .poll(async () => (await app.inject('/one/stats')).json(), { interval: 1 })
      .toMatchObject({ name: 'one', asked: 4, loaded: 2 });
    gate.open('ok');
    expect(await Promise.all(calls)).toEqual(urls.map(() => 'ok'));
    expect(app.hasDecorator('coalesced')).toBe(false);
    await app.close();
  });
});
