import { channel } from 'node:diagnostics_channel';
import {
  DispatchError,
  type Dispatcher,
  defineTasks,
  type TaskContext,
  type TaskMap,
  type TaskModule,
} from '@ticketing/dispatch';
import { type ForwardedRunOptions, whenAborted } from '@ticketing/dispatch/worker';
import type { NatsLike } from '../contract.ts';
import { type JsonEndpoint, serveJson } from '../json/json-endpoint.ts';
import type { Admission } from './admission.ts';
import { fullError, type HostOptions } from './host-options.ts';

/** A tracer of this process listens here, and adds its own context to the metadata of a call that has none. */
const runStart = channel('tracing:ticketing:dispatch:run:start');
const TRACE_CONTEXT: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage']);

/** The caller's context is the parent of the session's task, which is the parent of the call. */
function withoutTrace(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !TRACE_CONTEXT.has(name)));
}

/**
 * Returns a module whose tasks run in a dispatcher of this machine, with the caller's deadline, metadata and progress. An
 * abort of the call aborts there. `settled` is called with each outcome, `report` as the hook of a module.
 */
export function proxiesOf(
  dispatcher: Dispatcher<TaskMap>,
  tasks: readonly string[],
  {
    settled,
    report,
  }: {
    settled(ending: 'completed' | 'failed' | 'aborted'): void;
    readonly report: (() => unknown) | undefined;
  },
): TaskModule<TaskMap> {
  /** Those that have not aborted, to be used again: a controller costs more than a small task. */
  const controllers: AbortController[] = [];
  const proxyOf =
    (task: string) =>
    (input: unknown, context: TaskContext): Promise<unknown> => {
      const { deadline, metadata, attempt } = context;
      const controller = controllers.pop() ?? new AbortController();
      const { signal } = controller;
      let isOver = false;
      whenAborted(context, (reason) => {
        if (!isOver) controller.abort(reason);
      });
      const over = (ending: 'completed' | 'failed') => {
        isOver = true;
        if (!signal.aborted) controllers.push(controller);
        settled(signal.aborted ? 'aborted' : ending);
      };
      const options: ForwardedRunOptions = {
        signal,
        metadata: runStart.hasSubscribers ? withoutTrace(metadata) : metadata,
        onProgress: (data) => context.progress(data),
        // A dispatcher of somebody else may not know it.
        ...(attempt > 1 && { attempt }),
      };
      return dispatcher
        .run(
          task,
          input as never,
          // A deadline that has passed by now ends the call at once.
          deadline === undefined
            ? options
            : { ...options, timeoutMs: Math.max(1, deadline - Date.now()) },
        )
        .then(
          (value: unknown) => {
            over('completed');
            return value;
          },
          (error) => {
            over('failed');
            throw error;
          },
        );
    };
  const proxies = Object.fromEntries(tasks.map((task) => [task, proxyOf(task)]));
  return defineTasks(proxies, report && { report });
}

/** Whether an error is that of a call which the dispatcher of this name lost with one of its workers. */
export function isLossOf(name: string, error: unknown): boolean {
  return DispatchError.is(error) && error.code === 'ERR_WORKER_LOST' && error.data.name === name;
}

/** Serves tasks by JSON, within the same bound as the calls of dispatchers. */
export function serveHostJson(
  nats: NatsLike,
  { fleet, zone, revision, tasks, maxMessageBytes, clock, dispatcher }: HostOptions,
  { id, admission }: { readonly id: string; readonly admission: Admission },
): JsonEndpoint {
  return serveJson({
    nats,
    fleet,
    host: { id, zone, revision },
    tasks,
    async run(task, input, options) {
      if (!admission.admit()) throw fullError(id, task, admission.capacity);
      try {
        return await dispatcher.run(task, input as never, options);
      } finally {
        admission.release();
      }
    },
    capacity: admission.capacity,
    maxMessageBytes,
    clock,
  });
}
