import type { Attributes, Histogram, Meter } from '@opentelemetry/api';
import type {
  CarrierMessage,
  JoinMessage,
  LoadMessage,
  NameMessage,
  RunMessage,
  SearchMessage,
  Subscriptions,
  WorkerMessage,
} from './channels.ts';
import { errorType } from './error-type.ts';
import { outcomeOfSearch } from './spans.ts';

/** The bounds that OpenTelemetry advises for the duration of HTTP requests. */
const BOUNDS_S = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Makes measurements of what the libraries publish. */
export function measureLibraries(meter: Meter, subscriptions: Subscriptions): void {
  measureSearches(meter, subscriptions);
  measureLoads(meter, subscriptions);
  measureDispatch(meter, subscriptions);
}

function seconds(meter: Meter, name: string, description: string): Histogram {
  const advice = { explicitBucketBoundaries: BOUNDS_S };
  return meter.createHistogram(name, { description, unit: 's', advice });
}

function measureSearches(meter: Meter, subscriptions: Subscriptions): void {
  const searches = meter.createCounter('ticketing.search.count', {
    description: 'Searches that have ended',
    unit: '{search}',
  });
  const carriers = seconds(meter, 'ticketing.carrier.duration', 'Time until a carrier settled');
  subscriptions.on<SearchMessage>('tracing:ticketing:core:search:asyncEnd', (message) => {
    searches.add(1, { 'ticketing.outcome': outcomeOfSearch(message) });
  });
  subscriptions.on<CarrierMessage>('tracing:ticketing:core:carrier:asyncEnd', (message) => {
    const { carrier, status } = message;
    if (status === undefined) return;
    carriers.record(status.ms / 1000, {
      'ticketing.carrier': carrier,
      'ticketing.carrier.state': status.state,
      ...(status.error && { 'error.type': status.error.code }),
    });
  });
}

function measureLoads(meter: Meter, subscriptions: Subscriptions): void {
  const calls = meter.createCounter('ticketing.coalescer.calls', {
    description: 'Calls of a coalescer by what became of them',
    unit: '{call}',
  });
  const count = (name: string, outcome: string): void =>
    calls.add(1, { 'ticketing.coalescer.name': name, 'ticketing.outcome': outcome });
  subscriptions.on<LoadMessage>('tracing:ticketing:batching:load:start', ({ name, cause }) => {
    if (cause === 'call') count(name, 'led');
  });
  subscriptions.on<JoinMessage>('ticketing:batching:join', ({ name }) => count(name, 'joined'));
  subscriptions.on<NameMessage>('ticketing:batching:hit', ({ name }) => count(name, 'hit'));
  subscriptions.on<NameMessage>('ticketing:batching:overflow', ({ name }) => {
    count(name, 'overflowed');
  });
}

function measureDispatch(meter: Meter, subscriptions: Subscriptions): void {
  const tasks = meter.createCounter('ticketing.dispatch.tasks', {
    description: 'Calls of a dispatcher that have settled',
    unit: '{call}',
  });
  const active = meter.createUpDownCounter('ticketing.dispatch.active', {
    description: 'Calls of a dispatcher that wait or run',
    unit: '{call}',
  });
  const workers = meter.createUpDownCounter('ticketing.dispatch.workers', {
    description: 'Workers that are ready',
    unit: '{worker}',
  });
  const waits = seconds(
    meter,
    'ticketing.dispatch.wait',
    'Time until a call was given to a worker',
  );
  const runs = seconds(meter, 'ticketing.dispatch.run', 'Time of a call in its worker');
  /** Counted as active: others began before the subscription. */
  const counted = new WeakSet<RunMessage>();
  const ready = new Set<string>();

  subscriptions.on<RunMessage>('tracing:ticketing:dispatch:run:start', (message) => {
    counted.add(message);
    active.add(1, poolOf(message));
  });
  subscriptions.on<RunMessage>('tracing:ticketing:dispatch:run:asyncEnd', (message) => {
    const pool = poolOf(message);
    if (counted.delete(message)) active.add(-1, pool);
    const { waitMs, runMs } = message;
    if (waitMs !== undefined) waits.record(waitMs / 1000, pool);
    if (runMs !== undefined) runs.record(runMs / 1000, pool);
    const outcome =
      'error' in message
        ? { 'ticketing.outcome': 'failed', 'error.type': errorType(message.error) }
        : { 'ticketing.outcome': 'completed' };
    tasks.add(1, { ...pool, ...outcome });
  });
  subscriptions.on<WorkerMessage>('ticketing:dispatch:worker-ready', (message) => {
    const worker = workerOf(message);
    if (ready.has(worker)) return;
    ready.add(worker);
    workers.add(1, poolOf(message));
  });
  subscriptions.on<WorkerMessage>('ticketing:dispatch:worker-exit', (message) => {
    if (ready.delete(workerOf(message))) workers.add(-1, poolOf(message));
  });
}

function poolOf({ name }: NameMessage): Attributes {
  return { 'ticketing.dispatch.pool': name };
}

function workerOf({ name, workerId }: WorkerMessage): string {
  return `${workerId} ${name}`;
}
