import { channel } from 'node:diagnostics_channel';
import {
  type Dispatcher,
  defineTasks,
  type TaskContext,
  type TaskMap,
  type TaskModule,
} from '@ticketing/dispatch';

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
  const proxyOf =
    (task: string) =>
    async (input: unknown, context: TaskContext): Promise<unknown> => {
      const { deadline, metadata, signal } = context;
      try {
        const value: unknown = await dispatcher.run(task, input as never, {
          signal,
          metadata: runStart.hasSubscribers ? withoutTrace(metadata) : metadata,
          onProgress: (data) => context.progress(data),
          // A deadline that has passed by now ends the call at once.
          ...(deadline !== undefined && { timeoutMs: Math.max(1, deadline - Date.now()) }),
        });
        settled('completed');
        return value;
      } catch (error) {
        settled(signal.aborted ? 'aborted' : 'failed');
        throw error;
      }
    };
  const proxies = Object.fromEntries(tasks.map((task) => [task, proxyOf(task)]));
  return defineTasks(proxies, report && { report });
}
