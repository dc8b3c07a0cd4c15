import express, { type Request } from 'express';
import { Hono } from 'hono';
import Koa from 'koa';
import { expect, expectTypeOf, test } from 'vitest';
import * as forHono from '../../src/hono/index.ts';
import { coalesceRoute, type HttpRouteOptions } from '../../src/http/index.ts';
import * as forKoa from '../../src/koa/index.ts';
import { start } from './service-client.ts';

const factories: [string, (options: never) => unknown][] = [
  ['http', coalesceRoute],
  ['koa', forKoa.coalesceRoute],
  ['hono', forHono.coalesceRoute],
];

test.each(factories)('coalesceRoute of /%s refuses options that are wrong', (_entry, create) => {
  const rows: [unknown, Error][] = [
    [
      { vary: 'accept' },
      new TypeError(
        'Cannot coalesce a route: `vary` must be a list of names of request headers, got accept',
      ),
    ],
    [
      { vary: ['*'] },
      new TypeError(
        'Cannot coalesce a route: `vary` must be a list of names of request headers, got *',
      ),
    ],
    [
      { header: 'x' },
      new TypeError('Cannot coalesce a route: `header` must be true or false, got x'),
    ],
    [
      { shareCredentials: 1 },
      new TypeError('Cannot coalesce a route: `shareCredentials` must be true or false, got 1'),
    ],
    [{ key: 'id' }, new TypeError('Cannot coalesce a route: `key` must be a function, got id')],
    [
      { methods: ['get'] },
      new TypeError(
        'Cannot coalesce a route: `methods` must be a list of methods of HTTP in capitals, got get',
      ),
    ],
    [
      { methods: ['GET', 'POST'] },
      new TypeError('Cannot coalesce a route: method POST needs option `key`, unlike GET and HEAD'),
    ],
    [
      { keys: () => 1 },
      new TypeError('Cannot coalesce a route: unknown option `keys`; did you mean `key`?'),
    ],
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
  ];
  for (const [options, error] of rows) expect(() => create(options as never)).toThrow(error);
});

test('coalesceRoute() refuses a `refuse` that is no function', () => {
  expect(() => coalesceRoute({ refuse: 503 } as never)).toThrow(
    new TypeError('Cannot coalesce a route: `refuse` must be a function, got 503'),
  );
});

test.each(['Express 5', 'Koa', 'Hono'])(
  '%s: a key that is an object fails its request',
  async (name) => {
    const { send } = await start(name, {
      keyOf: () => ({ id: 1 }) as never,
      handler: async () => ({ body: 'ok' }),
    });
    expect((await send('/shared/a').answer).status).toBe(500);
  },
);

test.each(['node:http', 'Express 5', 'Koa', 'Hono'])(
  '%s: POST is shared by `methods` with a `key`',
  async (name) => {
    let runs = 0;
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { send, asked } = await start(name, {
      options: { methods: ['POST'] },
      keyOf: (url) => url,
      handler: async () => {
        runs += 1;
        await gate;
        return { body: 'found' };
      },
    });
    const calls = ['POST', 'POST'].map((method) => send('/shared/a', { method }));
    await asked(2);
    open();
    for (const { answer } of calls) expect((await answer).body).toBe('found');
    expect(runs).toBe(1);
  },
);

test('the middleware fits the types of Express, Koa and Hono, and `key` their requests', () => {
  express().get(
    '/trains/:id',
    coalesceRoute({ key: ({ params }: Request<{ id: string }>) => params.id }),
  );
  new Koa().use(forKoa.coalesceRoute({ key: ({ url }) => url })).use(forKoa.answerErrors);
  const app = new Hono();
  app.get('/trains/:id', forHono.coalesceRoute({ key: ({ req }) => req.url }), (context) => {
    expectTypeOf(forHono.leavingSignal(context)).toEqualTypeOf<AbortSignal>();
    return context.text(String(forHono.coalescedRequest(context).waiters));
  });
  app.onError((error, context) => forHono.errorResponse(error, context) ?? context.text('', 500));
  expectTypeOf<() => string>().toExtend<HttpRouteOptions['key']>();
  expectTypeOf<(request: Request) => object>().not.toExtend<HttpRouteOptions['key']>();
});
