import { type Attributes, propagation, SpanKind, trace } from '@opentelemetry/api';
import type { RetryMessage, RunMessage, TaskMessage } from '../channels.ts';
import { failureOf, finish, type OpenSpans, type SpanOptions } from './open-spans.ts';

/** Makes spans of calls of dispatchers, and of tasks in workers. */
export function traceDispatch(options: SpanOptions, spans: OpenSpans): void {
  const { active, subscriptions, tracer, capturesQuery } = options;
  const RUN = 'tracing:ticketing:dispatch:run';
  const startedAt = new WeakMap<RunMessage, number>();
  subscriptions.on<RunMessage>(`${RUN}:start`, (message) => {
    const { name, task, metadata } = message;
    const parent = active.current();
    const span = spans.start(message, parent, `dispatch ${task}`, {
      kind: SpanKind.PRODUCER,
      attributes: { 'ticketing.dispatch.pool': name, 'ticketing.dispatch.task': task },
    });
    startedAt.set(message, performance.now());
    propagation.inject(trace.setSpan(parent, span), metadata);
  });
  /** Reports an attempt whose worker is dead and exports nothing. */
  function reportLost(run: RunMessage, attempt: number, workerId: number, heldMs: number): void {
    const dispatched = spans.of(run);
    if (dispatched === undefined) return;
    const now = Date.now();
    const attributes = taskAttributes({ task: run.task, attempt, workerId });
    const settings = { kind: SpanKind.CONSUMER, attributes, startTime: now - heldMs };
    const parent = trace.setSpan(active.current(), dispatched);
    const lost = tracer.startSpan(`task ${run.task}`, settings, parent);
    finish(lost, {}, { type: 'ERR_WORKER_LOST', text: undefined }, now);
  }
  subscriptions.on<RetryMessage>('ticketing:dispatch:retry', ({ run, attempt, workerId, heldMs }) =>
    reportLost(run, attempt, workerId, heldMs),
  );
  subscriptions.on<RunMessage>(`${RUN}:asyncEnd`, (message) => {
    const { attempt, workerId, waitMs, runMs } = message;
    const attributes: Attributes = {};
    if (attempt !== undefined) attributes['ticketing.dispatch.attempts'] = attempt;
    if (workerId !== undefined) attributes['ticketing.dispatch.worker'] = workerId;
    if (waitMs !== undefined) attributes['ticketing.dispatch.wait_ms'] = waitMs;
    if (runMs !== undefined) attributes['ticketing.dispatch.run_ms'] = runMs;
    const failure = failureOf(message, capturesQuery);
    if (failure?.type === 'ERR_WORKER_LOST' && attempt !== undefined && workerId !== undefined) {
      const elapsedMs = performance.now() - (startedAt.get(message) ?? performance.now());
      reportLost(message, attempt, workerId, Math.max(0, elapsedMs - (waitMs ?? 0)));
    }
    spans.end(message, attributes, failure);
  });

  const TASK = 'ticketing:dispatch:task';
  active.bind<TaskMessage>(subscriptions, TASK, (message) => {
    const parent = propagation.extract(active.current(), message.metadata);
    const span = spans.start(message, parent, `task ${message.task}`, {
      kind: SpanKind.CONSUMER,
      attributes: taskAttributes(message),
    });
    return trace.setSpan(parent, span);
  });
  subscriptions.on<TaskMessage>(`tracing:${TASK}:asyncEnd`, (message) => {
    spans.end(message, {}, failureOf(message, capturesQuery));
  });
}

function taskAttributes({
  task,
  attempt,
  workerId,
}: Pick<TaskMessage, 'task' | 'attempt' | 'workerId'>): Attributes {
  return {
    'ticketing.dispatch.task': task,
    'ticketing.dispatch.attempt': attempt,
    'ticketing.dispatch.worker': workerId,
  };
}
