import fastify, { type RouteShorthandOptions } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { coalesceRoutes } from '../src/fastify/index.ts';
import { createApp } from './fastify-client.ts';

test.each<[unknown, Error]>([
  [
    { vary: 'accept' },
    new TypeError('`vary` must be a list of names of request headers, got accept'),
  ],
  [{ vary: ['*'] }, new TypeError('`vary` must be a list of names of request headers, got *')],
  [{ vary: [''] }, new TypeError("`vary` must be a list of names of request headers, got ['']")],
  [{ vary: [1] }, new TypeError('`vary` must be a list of names of request headers, got 1')],
  [{ header: 'x' }, new TypeError('`header` must be true or false, got x')],
  [
    { errorTtlMs: 5 },
    new TypeError(
      'unknown option `errorTtlMs`; known are vary, header, name, maxKeys, maxWaitersPerKey, overflow, loadTimeoutMs, clock',
    ),
  ],
  [
    { prefix: '/a' },
    new TypeError(
      'unknown option `prefix`; known are vary, header, name, maxKeys, maxWaitersPerKey, overflow, loadTimeoutMs, clock',
    ),
  ],
])('register(coalesceRoutes, %o) rejects', async (options, { message }) => {
  const app = fastify();
  await expect(async () => app.register(coalesceRoutes, options as never)).rejects.toThrow(
    new TypeError(`Cannot register coalesceRoutes: ${message}`),
  );
});

test.each<[object, Error]>([
  [{ name: '' }, new TypeError("Cannot create coalescer: `name` must be a text, got ''")],
  [
    { maxKeys: 0 },
    new RangeError('Cannot create coalescer: `maxKeys` must be an integer of 1 or more, got 0'),
  ],
  [
    { loadTimeoutMs: 0 },
    new RangeError('Cannot create coalescer: `loadTimeoutMs` must be 1 to 2147483647, got 0'),
  ],
  [
    { overflow: 'drop' },
    new TypeError('Cannot create coalescer: `overflow` must be one of reject, bypass, got drop'),
  ],
])('register(coalesceRoutes, %o) rejects as the coalescer does', async (options, error) => {
  const app = fastify();
  await expect(async () => app.register(coalesceRoutes, options)).rejects.toThrow(error);
});

test('coalesceRoutes is registered once for a scope', async () => {
  const app = await createApp();
  const error = new TypeError(
    'Cannot register coalesceRoutes: it is registered in this scope already',
  );
  await expect(async () =>
    app.register(async (child) => {
      await child.register(coalesceRoutes, { name: 'again' });
    }),
  ).rejects.toThrow(error);
});

test.each<[string | string[], unknown, string]>([
  ['POST', true, 'coalesce POST /a: method POST needs option `key`, unlike GET and HEAD'],
  ['QUERY', {}, 'coalesce QUERY /a: method QUERY needs option `key`, unlike GET and HEAD'],
  [
    ['GET', 'PUT'],
    { vary: ['accept'] },
    'coalesce GET, PUT /a: method PUT needs option `key`, unlike GET and HEAD',
  ],
  ['GET', 'yes', 'coalesce GET /a: `config.coalesce` must be true, false or options, got yes'],
  ['GET', null, 'coalesce GET /a: `config.coalesce` must be true, false or options, got null'],
  ['GET', { keys: () => 1 }, 'coalesce GET /a: unknown option `keys`; did you mean `key`?'],
  ['GET', { key: 'id' }, 'coalesce GET /a: `key` must be a function, got id'],
  [
    'GET',
    { shareCredentials: 1 },
    'coalesce GET /a: `shareCredentials` must be true or false, got 1',
  ],
  [
    'GET',
    { vary: 'accept' },
    'coalesce GET /a: `vary` must be a list of names of request headers, got accept',
  ],
  [
    'GET',
    { vary: ['a b'] },
    'coalesce GET /a: `vary` must be a list of names of request headers, got a b',
  ],
])('a route of %s with coalesce: %o throws', async (method, coalesce, message) => {
  const app = await createApp();
  expect(() =>
    app.route({ method, url: '/a', config: { coalesce: coalesce as never }, handler: () => 1 }),
  ).toThrow(new TypeError(`Cannot ${message}`));
});

test.each<[unknown, string]>([
  [{ id: 1 }, 'Cannot coalesce GET /a: option `key` must return a primitive, got object'],
  [() => 1, 'Cannot coalesce GET /a: option `key` must return a primitive, got function'],
  [Symbol('a'), 'Cannot make key: `[1]` must be a symbol made by Symbol.for, got Symbol(a)'],
])('a key of %o fails its request', async (key, message) => {
  const app = await createApp();
  app.get('/a', { config: { coalesce: { key: () => key as never } } }, () => 'never');
  const answer = await app.inject('/a');
  expect(answer.statusCode).toBe(500);
  expect(answer.json().message).toBe(message);
});

test('request.coalesced is refused where no handler of a coalesced route runs', async () => {
  const app = await createApp();
  app.get('/plain', (request) => request.coalesced);
  const answer = await app.inject('/plain?a=1');
  expect(answer.json().message).toBe(
    'Cannot read `request.coalesced` of GET /plain?a=1: the route has no `config.coalesce`',
  );
});

test('request.coalesced is refused in hooks before the handler', async () => {
  const app = await createApp();
  app.addHook('preHandler', async (request) => void request.coalesced);
  app.get('/a', { config: { coalesce: true } }, () => 1);
  expect((await app.inject('/a')).json().message).toBe(
    'Cannot read `request.coalesced` of GET /a: only the handler and the hooks after it have it',
  );
});

test.each<[string, RouteShorthandOptions]>([
  ['with true', { config: { coalesce: true } }],
  ['with options', { config: { coalesce: { shareCredentials: true } } }],
])(
  'a route %s that was added before the plugin ran fails each request, as one that is not coalesced would go unnoticed',
  async (_, options) => {
    const app = fastify();
    onTestFinished(() => app.close());
    app.get('/plain', () => 'plain');
    app.get('/off', { config: { coalesce: false } }, () => 'off');
    // Not awaited: the plugin runs when the app starts, after all of the routes here.
    void app.register(coalesceRoutes);
    app.get('/late', options, () => 'alone');
    void app.register(async (child) => {
      child.get('/child', options, (request) => String(request.coalesced.waiters));
    });
    const message =
      'Cannot coalesce GET /late: the route was added before the plugin ran; `await app.register(coalesceRoutes)` before the routes';
    for (const round of ['first', 'second']) {
      const answer = await app.inject('/late');
      expect([round, answer.statusCode, answer.json().message]).toEqual([round, 500, message]);
    }
    const head = await app.inject({ url: '/late', method: 'HEAD' });
    expect(head.statusCode).toBe(500);
    const others = await Promise.all(['/plain', '/off', '/child'].map((url) => app.inject(url)));
    expect(others.map(({ body }) => body)).toEqual(['plain', 'off', '1']);
    expect((await app.inject('/none')).statusCode).toBe(404);
  },
);

test('request.coalesced of a route that was added before the plugin ran says so in a hook', async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  app.addHook('onRequest', async (request) => void request.coalesced);
  void app.register(coalesceRoutes);
  app.get('/late', { config: { coalesce: true } }, () => 'alone');
  expect((await app.inject('/late')).json().message).toBe(
    'Cannot coalesce GET /late: the route was added before the plugin ran; `await app.register(coalesceRoutes)` before the routes',
  );
});

test.each([
  { vary: Object.create(null) },
  { vary: [Object.create(null)] },
  { header: Object.create(null) },
])(
  'register(coalesceRoutes) with an object without prototype, %#, has a message of its own',
  async (options) => {
    const app = fastify();
    await expect(async () => app.register(coalesceRoutes, options)).rejects.toThrow(
      'got an object without text',
    );
  },
);

test.each(['key', 'shareCredentials', 'vary'])(
  'a route whose %s is an object without prototype throws',
  async (option) => {
    const app = await createApp();
    const coalesce = { [option]: Object.create(null) };
    expect(() => app.get('/a', { config: { coalesce } }, () => 1)).toThrow(
      'got an object without text',
    );
  },
);
