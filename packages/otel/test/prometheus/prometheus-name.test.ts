import { expect, test } from 'vitest';
import { type FigureKind, figures, prometheusName } from '../../src/prometheus/index.ts';

test.each<[string, FigureKind, string, string]>([
  // As the specification of OpenTelemetry has them.
  ['http.server.request.duration', 'histogram', 's', 'http_server_request_duration_seconds'],
  ['http.server.active_requests', 'up-down-counter', '{request}', 'http_server_active_requests'],
  ['system.cpu.utilization', 'gauge', '1', 'system_cpu_utilization_ratio'],
  ['system.network.io', 'counter', 'By', 'system_network_io_bytes_total'],
  ['calls', 'counter', '1', 'calls_total'],
  ['calls_total', 'counter', '', 'calls_total'],
  ['a.-b', 'gauge', '', 'a_b'],
])('prometheusName() of %s, %s, %s is %s', (name, kind, unit, expected) => {
  expect(prometheusName({ name, kind, unit })).toBe(expected);
});

test('names that dashboards use stay', () => {
  const names = new Set(Object.values(figures).map(prometheusName));
  for (const name of [
    'ticketing_search_total',
    'ticketing_carrier_duration_seconds',
    'ticketing_carrier_http_sent_total',
    'ticketing_carrier_http_retried_total',
    'ticketing_carrier_http_refused_total',
    'ticketing_coalescer_calls_total',
    'ticketing_dispatch_tasks_total',
    'ticketing_dispatch_wait_seconds',
    'ticketing_dispatch_run_seconds',
    'ticketing_dispatch_transport_seconds',
    'ticketing_dispatch_queued',
    'ticketing_dispatch_running',
    'ticketing_dispatch_workers',
    'ticketing_dispatch_worker_ends_total',
    'ticketing_dispatch_fallback_total',
    'ticketing_fleet_hosts',
    'ticketing_fleet_refused_total',
    'ticketing_fleet_lost_total',
    'ticketing_router_connections_total',
    'ticketing_router_claim_seconds',
    'ticketing_router_open',
  ]) {
    expect(names).toContain(name);
  }
});
