import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { expect, test } from 'vitest';
import { admitRoutes } from '../src/fastify/index.ts';
import { admissionFor, type Client, clientOf, untilStats, waitedHalf } from './serve-held.ts';

async function serve(app: FastifyInstance): Promise<Client> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return clientOf((app.server.address() as AddressInfo).port, () => app.close());
}

/** A handler that answers when the test says so. */
function heldHandler() {
  const begun: string[] = [];
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    begun,
    open,
    async handler({ url }: { readonly url: string }) {
      begun.push(url);
      await opened;
      return `answer of ${url}`;
    },
  };
}

test('admitRoutes: above the limit requests wait before all later hooks; routes with `admission: false` do not', async () => {
  const admission = admissionFor({ maxInFlight: 1 });
  const work = heldHandler();
  const hooked: string[] = [];
  const app = fastify();
  await app.register(admitRoutes, { admission });
  app.addHook('onRequest', async ({ url }) => void hooked.push(url));
  app.get('/:name', work.handler);
  app.get('/health', { config: { admission: false } }, async () => 'ok');
  const { get } = await serve(app);
  const first = get('/1');
  await untilStats(admission, { inFlight: 1 });
  const second = get('/2');
  await untilStats(admission, { waiting: 1 });
  expect((await get('/health')).body).toBe('ok');
  const third = get('/nowhere/else');
  await untilStats(admission, { waiting: 2 });
  expect(hooked).toEqual(['/1', '/health']);
  work.open();
  const answers = await Promise.all([first, second, third]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(hooked).toEqual(['/1', '/health', '/2', '/nowhere/else']);
  await untilStats(admission, { inFlight: 0, admitted: 3 });
});

test('admitRoutes answers 503 to a request that is late, in the given way if there is one', async () => {
  for (const refuse of [undefined, 'own'] as const) {
    const admission = admissionFor({ maxInFlight: 1, deadlineMs: 20_000 });
    const work = heldHandler();
    const app = fastify();
    await app.register(admitRoutes, {
      admission,
      arrivedAt: ({ url }) => waitedHalf('/2', 20_000)({ url }),
      ...(refuse && {
        refuse: (reply, reason) => void reply.code(429).send({ reason, url: reply.request.url }),
      }),
    });
    app.get('/:name', work.handler);
    const { get } = await serve(app);
    const first = get('/1');
    await untilStats(admission, { inFlight: 1 });
    const { status, headers, body } = await get('/2');
    if (refuse === undefined) {
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(JSON.parse(body)).toMatchObject({ status: 503, code: 'ERR_EXPIRED' });
    } else {
      expect([status, JSON.parse(body)]).toEqual([429, { reason: 'late', url: '/2' }]);
    }
    work.open();
    expect((await first).status).toBe(200);
    expect(work.begun).toEqual(['/1']);
  }
});

test('a request whose client leaves while it waits never begins', async () => {
  const admission = admissionFor({ maxInFlight: 1 });
  const work = heldHandler();
  const app = fastify();
  await app.register(admitRoutes, { admission });
  app.get('/:name', work.handler);
  const { get, ask } = await serve(app);
  const first = get('/1');
  await untilStats(admission, { inFlight: 1 });
  const second = ask('/2');
  await untilStats(admission, { waiting: 1 });
  second.leave();
  await untilStats(admission, { left: 1, waiting: 0 });
  work.open();
  await first;
  expect(work.begun).toEqual(['/1']);
});

test('keyOf of a route: equal requests that wait share a place', async () => {
  const admission = admissionFor({ maxInFlight: 1 });
  const work = heldHandler();
  const app = fastify();
  await app.register(admitRoutes, { admission });
  app.get('/:name', { config: { admission: { keyOf: ({ url }) => url } } }, work.handler);
  const { get } = await serve(app);
  const answers = [get('/1')];
  await untilStats(admission, { inFlight: 1 });
  answers.push(get('/2'), get('/2'));
  await untilStats(admission, { waiting: 1 });
  work.open();
  await Promise.all(answers);
  expect(admission.stats()).toMatchObject({ admitted: 3, joined: 1 });
});

test('request.arrivedAt is the earlier of the time that was measured here and the given one', async () => {
  const admission = admissionFor({ deadlineMs: 2 ** 31 - 1 });
  const app = fastify();
  await app.register(admitRoutes, {
    admission,
    arrivedAt: ({ url }) => (url === '/early' ? 5 : Number.POSITIVE_INFINITY),
  });
  app.get('/:name', async ({ arrivedAt }) => arrivedAt);
  expect((await app.inject('/early')).json()).toBe(5);
  const arrivedAt = (await app.inject('/now')).json();
  expect(arrivedAt).toBeGreaterThan(5);
  expect(arrivedAt).toBeLessThanOrEqual(performance.now());
  await app.close();
});
