import { expect, test } from 'vitest';
import { readFlags } from '../src/flags/read-flags.ts';
import { MADRID_BARCELONA, serveDemo, sharedServer, statsOf } from './demo.ts';

const shared = sharedServer();

test('/healthz and /readyz say that all is well', async () => {
  const { get } = shared();
  expect(await get('/healthz')).toMatchObject({ status: 200, body: { status: 'alive' } });
  expect(await get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
});

test('/config shows the resolved flags, the upstream and the processes, and no secret', async () => {
  const argv = ['--deadline-ms', '700', '--latency', '20:200', '--carriers', 'avlo,renfe'];
  const secret = 'a secret of a page';
  const { get, carriersUrl } = await serveDemo(...argv, '--page-key', secret);
  const { body } = await get('/config');
  const { ouigo: _, ...flags } = readFlags(['--port', '0', '--worms', '0', ...argv], {}).flags;
  expect(JSON.stringify(body)).not.toContain(secret);
  expect(body).toEqual({
    ...JSON.parse(JSON.stringify(flags)),
    carriersUrl,
    startedAt: expect.any(Number),
    versions: { ticketing: expect.stringMatching(/^\d+\./), node: process.version },
    processes: [{ id: 'server-0', pid: process.pid, role: 'server', state: 'ready' }],
  });
  const plan = await get('/config').then(() => fetch(`${carriersUrl}/plan/avlo`));
  expect(await plan.json()).toMatchObject({ latency: body.latency });
});

test('/stats shows the counters of every part', async () => {
  const { get } = await serveDemo('--latency', '0');
  await get(MADRID_BARCELONA);
  const processes = await statsOf({ get });
  expect(processes).toHaveLength(1);
  expect(processes[0]).toMatchObject({
    pid: process.pid,
    role: 'server',
    coalesce: { name: 'search', asked: 1, loaded: 1, joined: 0 },
    search: {
      running: 0,
      complete: 1,
      carriers: { renfe: { ok: 1 }, ouigo: { ok: 1 }, avlo: { ok: 1 } },
    },
    http: { renfe: { sent: 4, inFlight: 0 }, ouigo: { sent: 2 }, avlo: { sent: 2 } },
  });
});

test('/openapi.json describes every route, parameter and answer', async () => {
  const { get } = shared();
  const { body } = await get('/openapi.json');
  expect(body.openapi).toBe('3.1.0');
  expect(Object.keys(body.paths).sort()).toEqual([
    '/api/v1/worms/{class}',
    '/compute',
    '/config',
    '/healthz',
    '/metrics',
    '/operator/carriers/{id}/plan',
    '/operator/events',
    '/operator/load',
    '/operator/processes/{id}/kill',
    '/operator/reload',
    '/operator/state',
    '/readyz',
    '/search',
    '/sink',
    '/stations',
    '/stations/{id}',
    '/stats',
  ]);
  const { get: search } = body.paths['/search'];
  expect(search.parameters.map(({ name }: { name: string }) => name)).toEqual([
    'origin',
    'destination',
    'date',
    'time',
    'arriveBy',
    'via',
    'maxTransfers',
    'class',
    'passengers',
    'ages',
    'cards',
    'stops',
    'page',
    'order',
    'carriers',
    'maxPrice',
    'departAfter',
    'departBefore',
    'arriveBefore',
    'direct',
    'flexible',
    'facets',
  ]);
  expect(Object.keys(search.responses)).toEqual([
    '200',
    '204',
    '303',
    '400',
    '405',
    '406',
    '408',
    '417',
    '431',
    '502',
    '503',
    '504',
  ]);
  type Operation = { responses: Record<string, { content?: object }> };
  const operations = Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => ({
      name: `${method} ${path}`,
      responses,
    })),
  );
  for (const { name, responses } of operations) {
    const { 200: ok, ...others } = responses;
    expect(Object.keys(others), name).toEqual(
      expect.arrayContaining(['400', '405', '408', '417', '431', '503']),
    );
    for (const [status, { content }] of Object.entries(others)) {
      if (/^[23]/.test(status)) continue;
      expect(Object.keys(content ?? {}), `${name} ${status}`).toEqual(['application/problem+json']);
    }
  }
  expect(Object.keys(search.responses['200'].content)).toEqual([
    'application/json',
    'application/x-ndjson',
    'text/event-stream',
  ]);
  expect(search.responses['200'].content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/SearchAnswer',
  });
});
