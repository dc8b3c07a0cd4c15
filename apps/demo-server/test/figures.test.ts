import type { AdmissionStats } from '@ticketing/admission';
import type { CoalescerStats } from '@ticketing/batching';
import type { CoordinatorStats, SharedLoadsStats } from '@ticketing/batching/shared';
import type { CarrierHttpStats } from '@ticketing/carriers';
import type { SearchStats } from '@ticketing/core';
import type { DispatcherStats, WorkerStats } from '@ticketing/dispatch';
import type { ClusterStats } from '@ticketing/dispatch-cluster';
import type { NatsFleetStats, NatsHostStats } from '@ticketing/dispatch-nats';
import { writeFamilies } from '@ticketing/otel/prometheus';
import type { RouterStats, WorkerHandleStats } from '@ticketing/socket-router';
import { expect, expectTypeOf, test } from 'vitest';
import { families } from '../src/figures/metrics.ts';
import { operatorView } from '../src/figures/operator-view.ts';
import { roundedAll } from '../src/figures/rounded.ts';
import { sourcesOf } from '../src/figures/sources.ts';
import {
  type KeysStats,
  type PrimaryStats,
  type ServerStats,
  StatsDocument,
} from '../src/figures/stats-document.ts';
import { OperatorView, ServerView } from '../src/figures/view-schema.ts';
import { readFlags } from '../src/flags/read-flags.ts';
import { MEMBER_NAMES, METRIC_NAMES } from './figure-names.ts';
import { schemaErrors } from './schema-errors.ts';
import { samples, sumOf } from './series.ts';
import { someStatuses } from './some-statuses.ts';

const { flags } = readFlags(['--accept', 'socket', '--coalesce', 'shared'], {
  REDIS_URL: 'redis://127.0.0.1:1',
});
const context = { at: 1_800_000_000_000, startedAt: 1, flags };
const source = sourcesOf(someStatuses, context);
const series = samples(writeFamilies(families, { source }).text);

/** The part of a JSON schema that is looked at. */
interface AnySchema {
  readonly $id?: string;
  readonly items?: AnySchema;
  readonly anyOf?: readonly AnySchema[];
  readonly properties?: Readonly<Record<string, AnySchema>>;
  readonly patternProperties?: Readonly<Record<string, AnySchema>>;
}

/** Returns the names of the members of each object in a schema, by its path from the next schema with an id. */
function membersIn(schema: object, path = '', found = new Map<string, string[]>()) {
  const { $id: here = path, items, ...parts } = schema as AnySchema;
  const { anyOf = [], properties = {}, patternProperties = {} } = parts;
  if (items !== undefined) membersIn(items, `${here}[]`, found);
  for (const one of anyOf) membersIn(one, here, found);
  for (const one of Object.values(patternProperties)) membersIn(one, `${here}{}`, found);
  if (Object.keys(properties).length > 0) found.set(here, Object.keys(properties));
  for (const [name, one] of Object.entries(properties)) membersIn(one, `${here}.${name}`, found);
  return found;
}

test('/metrics has every name and label that it had, in their order', () => {
  const histograms = new Set(families.filter(({ type }) => type === 'histogram'));
  const names = families.map((family) => {
    const name = histograms.has(family) ? `${family.name}_count` : family.name;
    const labels = series.find((each) => each.name === name)?.labels ?? {};
    return `${family.name}{${Object.keys(labels)}}`;
  });
  expect(names.filter((name) => METRIC_NAMES.includes(name))).toEqual(METRIC_NAMES);
});

test('/stats and the view have every member that they had', () => {
  const members = membersIn(OperatorView, '', membersIn(StatsDocument));
  for (const [path, names] of MEMBER_NAMES) {
    expect(members.get(path), path).toEqual(expect.arrayContaining(names));
  }
});

test('the view and /stats of any processes match their schemas', () => {
  expect(schemaErrors(ServerView, operatorView(someStatuses, context))).toEqual([]);
  const processes = someStatuses.map(({ stats, ...process }) =>
    JSON.parse(JSON.stringify(roundedAll({ ...process, ...stats }))),
  );
  expect(schemaErrors(StatsDocument, { processes })).toEqual([]);
});

test.each([
  ['ticketing_process_up', { process: 'server-2' }, 0],
  ['process_cpu_seconds_total', { process: 'primary' }, 1.500123],
  ['process_start_time_seconds', { process: 'primary' }, (context.at - 10.988) / 1000],
  ['ticketing_coalescer_calls_total', { process: 'server-0', name: 'search', outcome: 'hit' }, 5],
  ['ticketing_coalescer_calls_total', { name: 'streams', process: 'server-0', outcome: 'led' }, 3],
  ['ticketing_coalescer_calls_total', { scope: 'shared', outcome: 'led' }, 2 + 3],
  ['ticketing_guard_circuit', { process: 'server-0', name: 'renfe', state: 'open' }, 1],
  ['ticketing_guard_circuit', { process: 'server-0', name: 'renfe', state: 'closed' }, 0],
  ['ticketing_guard_refused_total', { process: 'server-0', part: 'rate' }, 2],
  ['ticketing_dispatch_workers', { process: 'server-0', pool: 'tasks', state: 'ready' }, 1],
  ['ticketing_dispatch_workers', { process: 'server-0', pool: 'tasks', state: 'stopping' }, 0],
  ['ticketing_dispatch_wait_seconds_sum', { process: 'server-0', pool: 'tasks' }, 0.04],
  ['ticketing_dispatch_fallback_total', { process: 'server-1', outcome: 'refused' }, 3],
  ['ticketing_fleet_hosts', { process: 'server-1', state: 'joined' }, 2],
  ['ticketing_fleet_hosts', { process: 'server-1', state: 'known' }, 1],
  // Two hosts have this name.
  ['ticketing_fleet_host_rtt_seconds', { process: 'server-1', host: 'one' }, 0.002346],
  ['ticketing_fleet_host_credit', { process: 'server-1', host: 'one' }, 8],
  ['ticketing_fleet_lost_total', { process: 'primary', sign: 'silence' }, 2],
  ['ticketing_fleet_questions_total', { owner: 'others' }, 4],
  ['ticketing_router_connections_total', { outcome: 'handed-over' }, 4],
  // Two processes have this slot.
  ['ticketing_router_open', { slot: '0' }, 3 + 4],
])('%s of %j is %d', (name, labels, value) => {
  expect(sumOf(series, name, labels)).toBeCloseTo(value, 9);
});

/** Members of a library's counters that the schema of `/stats` does not name. */
type Unnamed<Stats, Schema> = Exclude<keyof Stats, keyof NonNullable<Schema>>;
type Shared = NonNullable<ServerStats['shared']>;

test('each counter of a library has a row; the compiler names one that has none', () => {
  expectTypeOf<Unnamed<CoalescerStats, ServerStats['coalesce']>>().toBeNever();
  expectTypeOf<Unnamed<CoordinatorStats, Shared['coordinator']>>().toBeNever();
  expectTypeOf<Unnamed<SharedLoadsStats, Shared['loads'][string]>>().toBeNever();
  expectTypeOf<Unnamed<AdmissionStats, ServerStats['admission']>>().toBeNever();
  expectTypeOf<Unnamed<SearchStats, ServerStats['search']>>().toBeNever();
  expectTypeOf<Unnamed<CarrierHttpStats, ServerStats['http'][string]>>().toBeNever();
  expectTypeOf<Unnamed<DispatcherStats, ServerStats['dispatch']>>().toBeNever();
  expectTypeOf<Unnamed<NatsFleetStats, KeysStats['hosts']>>().toBeNever();
  expectTypeOf<Unnamed<WorkerHandleStats, ServerStats['attached']>>().toBeNever();
  // Left out: processes, which are not plain data.
  expectTypeOf<Unnamed<ClusterStats, PrimaryStats['cluster']>>().toEqualTypeOf<'workers'>();
  expectTypeOf<Unnamed<WorkerStats, ServerStats['dispatch']['workers'][number]>>().toBeNever();
  expectTypeOf<Unnamed<RouterStats, PrimaryStats['router']>>().toBeNever();
  expectTypeOf<Unnamed<NatsHostStats, KeysStats['member']>>().toBeNever();
});
