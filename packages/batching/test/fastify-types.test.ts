import type { FastifyRequest } from 'fastify';
import { expect, expectTypeOf, test } from 'vitest';
import type { RouteCoalesceOptions } from '../src/fastify/index.ts';
import { createApp } from './fastify-client.ts';

interface TrainRoute {
  readonly Params: { readonly id: string };
  readonly Querystring: { readonly day: string };
}

test('key of a route takes a request with types, without a cast', async () => {
  const app = await createApp();
  let runs = 0;
  app.get<TrainRoute>(
    '/trains/:id',
    {
      config: {
        coalesce: { key: ({ params, query }: FastifyRequest<TrainRoute>) => params.id + query.day },
      },
    },
    async ({ params }) => {
      runs += 1;
      return params.id;
    },
  );
  const answers = await Promise.all([
    app.inject('/trains/1?day=mon&page=1'),
    app.inject('/trains/1?page=2&day=mon'),
    app.inject('/trains/1?day=tue'),
  ]);
  expect(answers.map(({ body }) => body)).toEqual(['1', '1', '1']);
  expect(runs).toBe(2);
});

test('key of a route takes what Fastify infers from a schema of the route', async () => {
  const app = await createApp();
  const key = ({ params }: FastifyRequest<{ Params: { id: number } }>): number => params.id;
  const params = { type: 'object', properties: { id: { type: 'integer' } } } as const;
  app.route({
    method: 'POST',
    url: '/:id',
    schema: { params },
    config: { coalesce: { key } },
    handler: (request) => String(typeof (request.params as { id: number }).id),
  });
  expect((await app.inject({ method: 'POST', url: '/1' })).body).toBe('number');
});

test('key of a route is refused if it is no function of a request, or returns an object', () => {
  expectTypeOf<() => string>().toExtend<RouteCoalesceOptions['key']>();
  expectTypeOf<(request: FastifyRequest<TrainRoute>) => bigint>().toExtend<
    RouteCoalesceOptions['key']
  >();
  expectTypeOf<(request: FastifyRequest) => object>().not.toExtend<RouteCoalesceOptions['key']>();
  expectTypeOf<(id: number) => string>().not.toExtend<RouteCoalesceOptions['key']>();
  expectTypeOf<undefined>().toExtend<RouteCoalesceOptions['key']>();
});
