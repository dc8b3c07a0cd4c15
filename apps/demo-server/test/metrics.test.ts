import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { families } from '../src/figures/metrics.ts';
import { ASKED, eventually, MADRID_BARCELONA, sharedServer } from './demo.ts';
import { describeWithPromtool, promtool } from './promtool.ts';
import { samples, sumOf } from './series.ts';

const alone = sharedServer('--latency', '0');

const OPEN_METRICS = 'application/openmetrics-text';
/** As Prometheus 2.42 asks. */
const PROMETHEUS = `${OPEN_METRICS};version=1.0.0,${OPEN_METRICS};version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1`;
/** As Prometheus 3 asks. */
const PROMETHEUS_3 = `${OPEN_METRICS};version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2`;

test('/metrics has what /stats counts', async () => {
  const { get } = alone();
  await get(MADRID_BARCELONA);
  await get('/nowhere');
  const { status, headers, body } = await get('/metrics');
  expect([status, headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect(headers.get('cache-control')).toBe('no-store');
  const found = samples(body);
  const { body: stats } = await get('/stats');
  const [{ search, dispatch, http, coalesce }] = stats.processes;
  expect(sumOf(found, 'ticketing_search_total', { outcome: 'complete' })).toBe(search.complete);
  expect(sumOf(found, 'ticketing_dispatch_tasks_total', { outcome: 'completed' })).toBe(
    dispatch.completed,
  );
  expect(sumOf(found, 'ticketing_dispatch_run_seconds_count')).toBe(dispatch.histograms.run.count);
  expect(sumOf(found, 'ticketing_carrier_http_sent_total', { carrier: 'renfe' })).toBe(
    http.renfe.sent,
  );
  expect(sumOf(found, 'ticketing_coalescer_calls_total', { name: 'search', outcome: 'led' })).toBe(
    coalesce.led,
  );
  expect(sumOf(found, 'ticketing_carrier_duration_seconds_count', { state: 'ok' })).toBe(
    ASKED.length * search.complete,
  );
  expect(sumOf(found, 'ticketing_process_up')).toBe(1);
  expect(sumOf(found, 'process_cpu_seconds_total')).toBeGreaterThan(0);
  const unmatched = { http_route: 'unmatched', http_response_status_code: '404' };
  await eventually(async () =>
    expect(
      sumOf(
        samples((await get('/metrics')).body),
        'http_server_request_duration_seconds_count',
        unmatched,
      ),
    ).toBe(1),
  );
});

test('buckets are cumulative, in seconds, and end with all', async () => {
  const found = samples((await alone().get('/metrics')).body);
  const series = found.filter(
    ({ name, labels }) =>
      name === 'ticketing_dispatch_run_seconds_bucket' && labels['pool'] === 'tasks',
  );
  expect(series.map(({ labels }) => labels['le'])).toEqual(
    '0.005 0.01 0.025 0.05 0.075 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10 +Inf'.split(' '),
  );
  const values = series.map(({ value }) => value);
  expect(values).toEqual([...values].sort((one, two) => one - two));
  expect(values.at(-1)).toBe(sumOf(found, 'ticketing_dispatch_run_seconds_count'));
});

test.each([
  [PROMETHEUS, 'openmetrics'],
  [PROMETHEUS_3, 'openmetrics'],
  ['text/plain;version=0.0.4', 'plain'],
  ['*/*', 'plain'],
  ['application/json', 'plain'],
])('Accept: %s gets %s', async (accept, kind) => {
  const { headers, body } = await alone().get('/metrics', { headers: { accept } });
  const isOpen = kind === 'openmetrics';
  expect(headers.get('content-type')).toBe(
    isOpen
      ? `${OPEN_METRICS}; version=1.0.0; charset=utf-8`
      : 'text/plain; version=0.0.4; charset=utf-8',
  );
  expect(body.endsWith('# EOF\n')).toBe(isOpen);
  expect(body).toContain(`# TYPE ticketing_search${isOpen ? '' : '_total'} counter\n`);
  expect(body).toMatch(/^ticketing_search_total\{process="server-0",outcome="complete"\} \d+$/m);
});

/** Names in the expressions of rules and panels. */
const dashboards = fileURLToPath(new URL('../../../docs/dashboards/', import.meta.url));
const used = ['alerts.yml', 'ticketing.json'].flatMap((file) => [
  ...readFileSync(dashboards + file, 'utf8').matchAll(
    /\b(?:ticketing|http_server|process|nodejs)_[a-z0-9_]+\b/g,
  ),
]);

test('alerts and dashboard use metrics that there are', () => {
  const known = new Set(
    families.flatMap(({ name, type }) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
    ),
  );
  const names = new Set(used.map(([name]) => name));
  expect(names.size).toBeGreaterThan(15);
  expect([...names].filter((name) => !known.has(name))).toEqual([]);
});

describeWithPromtool('promtool', () => {
  test('finds no fault in /metrics', async () => {
    const { get } = alone();
    await get(MADRID_BARCELONA);
    const { body } = await get('/metrics');
    expect(await promtool(['check', 'metrics'], body)).toBe('');
  });

  test('takes the alert rules', async () => {
    expect(await promtool(['check', 'rules', `${dashboards}alerts.yml`])).toContain('SUCCESS');
  });
});
