import type { OperatorView } from '../operator/view-schema.ts';
import { byLabel, type Family, inSeconds, MS_PER_S, poolLabels } from './family.ts';
import { fleetFamilies } from './fleet-families.ts';

type Pool = OperatorView['pools'][number];
type Process = OperatorView['processes'][number];

/** Every family of `/metrics`, in the order in which they are written. Times are in seconds, sizes in bytes. */
export const families: readonly Family[] = [
  {
    name: 'ticketing_info',
    help: 'What runs: always 1',
    type: 'gauge',
    points: ({ versions, modes: { accept, dispatch, coalesce } }) => [
      {
        labels: {
          ...{ version: versions.ticketing, node: versions.node },
          ...{ accept, dispatch, coalesce },
        },
        value: 1,
      },
    ],
  },
  {
    name: 'ticketing_process_up',
    help: 'Whether a process of the server reports: 0 for one that did not within a second',
    type: 'gauge',
    points: ({ processes }) =>
      processes.map(({ id, state }) => ({
        labels: { process: id },
        value: state === 'silent' ? 0 : 1,
      })),
  },
  {
    name: 'http_server_request_duration_seconds',
    help: 'Time from the head of a request until its answer was handed to the system',
    type: 'histogram',
    distributions: ({ routes }) =>
      routes.map(({ process, method, route, status, latency }) => ({
        labels: {
          process,
          http_request_method: method,
          http_route: route,
          http_response_status_code: String(status),
        },
        buckets: latency,
      })),
  },
  {
    name: 'http_server_active_requests',
    help: 'Requests in flight',
    type: 'gauge',
    points: ({ processes }) =>
      processes.flatMap(({ id, kind, inFlight }) =>
        kind !== 'server' || inFlight === undefined
          ? []
          : [{ labels: { process: id }, value: inFlight }],
      ),
  },
  {
    name: 'ticketing_search_total',
    help: 'Searches by their outcome',
    type: 'counter',
    points: ({ searches }) =>
      searches.flatMap(({ process, complete, partial, aborted }) =>
        byLabel('outcome', { process }, { complete, partial, aborted }),
      ),
  },
  {
    name: 'ticketing_carrier_duration_seconds',
    help: 'Time that a carrier took in a search, by the state in which it ended',
    type: 'histogram',
    distributions: ({ carriers }) =>
      carriers.flatMap(({ process, id, latency }) =>
        Object.entries(latency).map(([state, buckets]) => ({
          labels: { process, carrier: id, state },
          buckets,
        })),
      ),
  },
  carrierCalls('sent', 'HTTP requests that were sent to a carrier'),
  carrierCalls('retried', 'HTTP requests that were sent to a carrier again'),
  carrierCalls('refused', 'HTTP requests that the limit of a carrier refused'),
  {
    name: 'ticketing_coalescer_calls_total',
    help: 'Calls by what they met; calls of other scopes than process are those that lead in a process',
    type: 'counter',
    points: ({ coalesce }) =>
      coalesce.flatMap(({ process, name, scope, led, joined, hits, overflowed }) =>
        byLabel('outcome', { process, name, scope }, { led, joined, hit: hits, overflowed }),
      ),
  },
  {
    name: 'ticketing_dispatch_tasks_total',
    help: 'Calls of tasks by how they ended, in the pool whose workers run them',
    type: 'counter',
    points: ({ pools }) =>
      pools.flatMap(({ completed, failed, aborted, rejected, ...pool }) =>
        byLabel('outcome', poolLabels(pool), { completed, failed, aborted, rejected }),
      ),
  },
  poolTimes('wait', 'Time from a call until a worker was given it'),
  poolTimes('run', 'Time of tasks in their workers'),
  poolTimes('transport', 'Time of answered calls outside of waiting and running'),
  {
    name: 'ticketing_dispatch_queued',
    help: 'Calls that wait for a worker',
    type: 'gauge',
    points: ({ pools }) => pools.map((pool) => ({ labels: poolLabels(pool), value: pool.queued })),
  },
  {
    name: 'ticketing_dispatch_running',
    help: 'Calls that a worker has',
    type: 'gauge',
    points: ({ pools }) => pools.map((pool) => ({ labels: poolLabels(pool), value: pool.running })),
  },
  {
    name: 'ticketing_dispatch_workers',
    help: 'Workers by state',
    type: 'gauge',
    points: ({ pools }) =>
      pools.flatMap((pool) =>
        byLabel('state', poolLabels(pool), {
          ...{ starting: 0, ready: 0, retiring: 0, stopping: 0 },
          ...pool.workers,
        }),
      ),
  },
  {
    name: 'ticketing_dispatch_worker_ends_total',
    help: 'Workers that ended unasked, were killed for a task that did not stop, or were replaced',
    type: 'counter',
    points: ({ pools }) =>
      pools.flatMap(({ lost, killed, recycled, ...pool }) =>
        byLabel('how', poolLabels(pool), { lost, killed, recycled }),
      ),
  },
  ...fleetFamilies,
  {
    name: 'ticketing_router_connections_total',
    help: 'Connections by what became of them',
    type: 'counter',
    points: ({ router }) => {
      if (router === undefined) return [];
      const { handedOver, refused, rerouted, gone } = router;
      const outcomes = { 'handed-over': handedOver, refused, rerouted, gone };
      return byLabel('outcome', { process: 'primary' }, outcomes);
    },
  },
  {
    name: 'ticketing_router_claim_seconds',
    help: 'Time from the acceptance of a connection until a process had claimed it',
    type: 'histogram',
    distributions: ({ router }) =>
      router === undefined ? [] : [{ labels: { process: 'primary' }, buckets: router.claim }],
  },
  {
    name: 'ticketing_router_open',
    help: 'Connections that a process has, by its slot',
    type: 'gauge',
    points: ({ router }) => {
      const open = new Map<string, number>();
      // While a process is replaced, two have its slot.
      for (const worker of router?.workers ?? []) {
        open.set(worker.slot, (open.get(worker.slot) ?? 0) + worker.open);
      }
      return [...open].map(([slot, value]) => ({ labels: { process: 'primary', slot }, value }));
    },
  },
  ofProcess('process_resident_memory_bytes', 'Resident memory', {
    // That of a thread is in its process.
    read: ({ kind, memoryBytes }) => (kind === 'thread' ? undefined : memoryBytes),
  }),
  ofProcess('process_cpu_seconds_total', 'CPU time, in user and system mode', {
    type: 'counter',
    read: ({ cpuMs }) => inSeconds(cpuMs),
  }),
  {
    name: 'process_start_time_seconds',
    help: 'Start of the process since the Unix epoch',
    type: 'gauge',
    points: ({ at, processes }) =>
      processes.map(({ id, ageMs }) => ({
        labels: { process: id },
        value: (at - ageMs) / MS_PER_S,
      })),
  },
  ofProcess('nodejs_eventloop_lag_p50_seconds', 'How late timers were in the last second: median', {
    read: ({ loopP50Ms }) => inSeconds(loopP50Ms),
  }),
  ofProcess('nodejs_eventloop_lag_p99_seconds', 'How late timers were in the last second: p99', {
    read: ({ loopP99Ms }) => inSeconds(loopP99Ms),
  }),
  ofProcess('nodejs_eventloop_utilization', 'Busy share of the event loop in the last second', {
    read: ({ utilisation }) => utilisation,
  }),
];

function poolTimes(of: keyof Pool['buckets'], help: string): Family {
  return {
    name: `ticketing_dispatch_${of}_seconds`,
    help,
    type: 'histogram',
    distributions: ({ pools }) =>
      pools.map((pool) => ({ labels: poolLabels(pool), buckets: pool.buckets[of] })),
  };
}

function carrierCalls(what: 'sent' | 'retried' | 'refused', help: string): Family {
  return {
    name: `ticketing_carrier_http_${what}_total`,
    help,
    type: 'counter',
    points: ({ carriers }) =>
      carriers.map(({ process, id, http }) => ({
        labels: { process, carrier: id },
        value: http[what],
      })),
  };
}

/** A figure of each process that has it. */
function ofProcess(
  name: string,
  help: string,
  {
    type = 'gauge',
    read,
  }: {
    readonly type?: 'counter' | 'gauge';
    readonly read: (process: Process) => number | undefined;
  },
): Family {
  return {
    name,
    help,
    type,
    points: ({ processes }) =>
      processes.flatMap((process) => {
        const value = read(process);
        return value === undefined ? [] : [{ labels: { process: process.id }, value }];
      }),
  };
}
