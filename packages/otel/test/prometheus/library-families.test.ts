import type { AdmissionStats } from '@ticketing/admission';
import type { BatcherStats, CoalescerStats } from '@ticketing/batching';
import type { CoordinatorStats, SharedLoadsStats } from '@ticketing/batching/shared';
import type { StreamCoalescerStats } from '@ticketing/batching/streams';
import type { CarrierHttpPools } from '@ticketing/carriers';
import type { ScatterStats, SearchStats } from '@ticketing/core';
import type { DispatcherStats } from '@ticketing/dispatch';
import type { ClusterStats } from '@ticketing/dispatch-cluster';
import type { NatsFleetStats } from '@ticketing/dispatch-nats';
import type { GuardStats } from '@ticketing/resilience';
import type { RouterStats } from '@ticketing/socket-router';
import { hasPromtool, promtool } from '@ticketing/test-kit';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  figures,
  type LibraryStats,
  libraryFamilies,
  prometheusName,
  writeFamilies,
} from '../../src/prometheus/index.ts';
import { seriesOf } from '../measured.ts';
import { useLibraries } from './use-libraries.ts';

function countedIn(source: LibraryStats): Readonly<Record<string, number>> {
  return Object.fromEntries(seriesOf(writeFamilies(libraryFamilies, { source }).text));
}

test('LibraryStats takes what stats() of the libraries returns', () => {
  expectTypeOf<{
    admissions: AdmissionStats[];
    batchers: BatcherStats[];
    carrierHttp: ReturnType<CarrierHttpPools['stats']>;
    clusters: ClusterStats[];
    coalescers: CoalescerStats[];
    coordinators: CoordinatorStats[];
    dispatchers: DispatcherStats[];
    fleets: NatsFleetStats[];
    guards: GuardStats[];
    routers: RouterStats[];
    scatters: Record<string, ScatterStats>;
    searches: SearchStats[];
    sharedLoads: SharedLoadsStats[];
    streamCoalescers: StreamCoalescerStats[];
  }>().toExtend<Required<LibraryStats>>();
});

test('libraryFamilies has what stats() of each library counts', async () => {
  const read = await useLibraries();
  expect(countedIn(read())).toMatchObject({
    'ticketing_dispatch_tasks_total{pool="tasks",outcome="completed"}': 1,
    'ticketing_dispatch_tasks_total{pool="tasks",outcome="failed"}': 1,
    'ticketing_dispatch_tasks_total{pool="tasks",outcome="aborted"}': 1,
    'ticketing_dispatch_run_seconds_count{pool="tasks"}': 2,
    'ticketing_dispatch_workers{pool="tasks",state="ready"}': 1,
    'ticketing_dispatch_worker_starts_total{pool="tasks"}': 1,
    'ticketing_coalescer_calls_total{name="document",outcome="led"}': 2,
    'ticketing_coalescer_calls_total{name="document",outcome="joined"}': 1,
    'ticketing_coalescer_calls_total{name="document",outcome="hit"}': 1,
    'ticketing_coalescer_kept{name="document"}': 2,
    'ticketing_stream_calls_total{name="prices",outcome="opened"}': 1,
    'ticketing_stream_calls_total{name="prices",outcome="joined"}': 1,
    'ticketing_batcher_batches_total{name="users"}': 1,
    'ticketing_batcher_keys_total{name="users"}': 2,
    'ticketing_shared_calls_total{name="row",outcome="led"}': 2,
    'ticketing_coordinator_up{name="memory"}': 1,
    'ticketing_search_total{outcome="complete"}': 1,
    'ticketing_carrier_duration_seconds_count{carrier="renfe",state="empty"}': 1,
    'ticketing_carrier_http_sent_total{carrier="renfe"}': 1,
    'ticketing_scatter_calls_total{name="prices",outcome="complete"}': 1,
    'ticketing_source_duration_seconds_count{name="prices",source="shop",state="ok"}': 1,
    'ticketing_guard_calls_total{name="renfe",outcome="succeeded"}': 2,
    'ticketing_guard_calls_total{name="renfe",outcome="failed"}': 2,
    'ticketing_guard_attempts_total{name="renfe",outcome="success"}': 2,
    'ticketing_guard_attempts_total{name="renfe",outcome="failure"}': 3,
    'ticketing_guard_attempts_total{name="renfe",outcome="ignored"}': 1,
    'ticketing_guard_refused_total{name="renfe",part="circuit"}': 1,
    'ticketing_guard_retries_total{name="renfe"}': 2,
    'ticketing_guard_hedges_total{name="renfe"}': 1,
    'ticketing_guard_active{name="renfe"}': 0,
    'ticketing_guard_limit{name="renfe"}': 8,
    'ticketing_guard_circuit{name="renfe",state="open"}': 1,
    'ticketing_guard_circuit{name="renfe",state="closed"}': 0,
    'ticketing_guard_opened_total{name="renfe"}': 1,
    'ticketing_guard_pauses_total{name="ouigo"}': 1,
    'ticketing_guard_paused_seconds{name="ouigo"}': 60,
    'ticketing_router_connections_total{outcome="handed-over"}': 0,
    'ticketing_admission_requests_total{outcome="admitted"}': 0,
  });
});

test('instances of one name are one series, with their sum', async () => {
  const [first, second] = [(await useLibraries())(), (await useLibraries())()];
  const [dispatchers, routers] = [
    [...first.dispatchers, ...second.dispatchers],
    [...first.routers, ...second.routers],
  ];
  const found = countedIn({ dispatchers, routers });
  expect(found['ticketing_dispatch_tasks_total{pool="tasks",outcome="completed"}']).toBe(2);
  expect(found['ticketing_dispatch_run_seconds_bucket{pool="tasks",le="+Inf"}']).toBe(4);
});

test('a dispatcher with a fallback has its calls', async () => {
  const [stats] = (await useLibraries())().dispatchers;
  const fallback = { inFlight: 0, ran: 2, refused: 1 };
  const found = countedIn({ dispatchers: [{ ...(stats as DispatcherStats), fallback }] });
  expect(found).toMatchObject({
    'ticketing_dispatch_fallback_total{pool="tasks",outcome="ran"}': 2,
    'ticketing_dispatch_fallback_total{pool="tasks",outcome="refused"}': 1,
  });
});

test('a library that is not used has no series', () => {
  expect(writeFamilies(libraryFamilies, { source: {} }).text).toBe('');
});

test('each figure has its own name, and its families have the labels of its row', async () => {
  const rows = Object.values(figures);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  const source = (await useLibraries())();
  const labelsByName = new Map<string, readonly string[]>(
    rows.map((row) => [prometheusName(row), Object.keys(row.labels).sort()]),
  );
  for (const family of libraryFamilies) {
    const series =
      family.type === 'histogram' ? family.distributions(source) : family.points(source);
    for (const { labels } of series) {
      expect([family.name, Object.keys(labels).sort()]).toEqual([
        family.name,
        labelsByName.get(family.name),
      ]);
    }
  }
});

describe.skipIf(!hasPromtool())('promtool', () => {
  test('finds no fault in the figures of all libraries', async () => {
    const read = await useLibraries();
    const { text } = writeFamilies(libraryFamilies, { source: read() });
    expect(await promtool(['check', 'metrics'], text)).toBe('');
  });
});
