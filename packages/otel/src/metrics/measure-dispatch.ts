import type { Meter } from '@opentelemetry/api';
import type {
  NameMessage,
  RetryMessage,
  RunMessage,
  Subscriptions,
  WorkerMessage,
} from '../channels.ts';
import { errorType } from '../error-type.ts';
import { figures } from '../figures.ts';
import { instrument } from './instruments.ts';

const MS_PER_S = 1000;

/** Measures calls and workers of dispatchers. */
export function measureDispatch(meter: Meter, subscriptions: Subscriptions): void {
  const tasks = instrument(meter, figures.dispatchTasks);
  const active = instrument(meter, figures.dispatchActive);
  const waits = instrument(meter, figures.dispatchWait);
  const runs = instrument(meter, figures.dispatchRun);
  const retries = instrument(meter, figures.dispatchRetries);
  subscriptions.during<RunMessage>('ticketing:dispatch:run', (change, { name }) =>
    active(change, { pool: name }),
  );
  subscriptions.on<RunMessage>('tracing:ticketing:dispatch:run:asyncEnd', (message) => {
    const { name: pool, outcome = 'completed', waitMs, runMs } = message;
    if (waitMs !== undefined) waits(waitMs / MS_PER_S, { pool });
    if (runMs !== undefined) runs(runMs / MS_PER_S, { pool });
    const more = 'error' in message ? { 'error.type': errorType(message.error) } : {};
    tasks(1, { pool, outcome }, more);
  });
  subscriptions.on<RetryMessage>('ticketing:dispatch:retry', ({ run }) =>
    retries(1, { pool: run.name }),
  );
  const fallbacks = instrument(meter, figures.dispatchFallback);
  subscriptions.on<NameMessage>('ticketing:dispatch:fallback', ({ name }) =>
    fallbacks(1, { pool: name, outcome: 'ran' }),
  );
  measureWorkers(meter, subscriptions);
}

function measureWorkers(meter: Meter, subscriptions: Subscriptions): void {
  const workers = instrument(meter, figures.dispatchWorkers);
  const starts = instrument(meter, figures.dispatchWorkerStarts);
  const exits = instrument(meter, figures.dispatchWorkerExits);
  const ready = new Set<string>();
  subscriptions.on<WorkerMessage>('ticketing:dispatch:worker-ready', (message) => {
    const { name: pool } = message;
    const worker = workerOf(message);
    if (ready.has(worker)) return;
    ready.add(worker);
    starts(1, { pool });
    workers(1, { pool, state: 'ready' });
  });
  subscriptions.on<WorkerMessage>('ticketing:dispatch:worker-exit', (message) => {
    const { name: pool } = message;
    exits(1, { pool });
    if (ready.delete(workerOf(message))) workers(-1, { pool, state: 'ready' });
    // A worker that ended before it was ready.
    else starts(1, { pool });
  });
}

function workerOf({ name, workerId }: WorkerMessage): string {
  return `${workerId} ${name}`;
}
