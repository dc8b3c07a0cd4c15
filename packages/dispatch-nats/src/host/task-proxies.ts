import { channel } from 'node:diagnostics_channel';
import {
  DispatchError,
  type Dispatcher,
  defineTasks,
  type RunOptions,
  type TaskContext,
  type TaskMap,
  type TaskModule,
} from '@ticketing/dispatch';
import { type ForwardedRunOptions, forwardCall, streamWindow } from '@ticketing/dispatch/worker';

type Ending = 'completed' | 'failed' | 'aborted';

/** Channel on which a tracer of this process adds its own context to the metadata of a call without one. */
const runStart = channel('tracing:ticketing:dispatch:run:start');
const TRACE_CONTEXT: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage']);

/** Removes the caller's trace context: it is the parent of the session's task, and that is the parent of the call. */
function withoutTrace(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !TRACE_CONTEXT.has(name)));
}

/**
 * Returns a module whose tasks run in a dispatcher of this machine, with the caller's deadline, metadata, progress and items.
 * An abort of the call aborts the task there. `settled` is called with each outcome; `report` becomes the hook of the module.
 */
export function proxiesOf(
  dispatcher: Dispatcher<TaskMap>,
  tasks: readonly string[],
  {
    settled,
    report,
  }: {
    settled(ending: Ending): void;
    readonly report: (() => unknown) | undefined;
  },
): TaskModule<TaskMap> {
  const proxyOf =
    (task: string) =>
    (input: unknown, context: TaskContext): Promise<unknown> | AsyncIterable<unknown> => {
      const options = optionsOf(context);
      const own = (): RunOptions => ({
        ...options,
        signal: context.signal,
        onProgress: (data) => context.progress(data),
      });
      const running = forwardCall(dispatcher, context, { task, input, options });
      const window = streamWindow(context);
      if (running === undefined && window !== undefined) {
        const items = dispatcher.stream(task as never, input as never, { ...own(), window });
        return counted(items, context, settled);
      }
      return (running ?? dispatcher.run(task, input as never, own())).then(
        (value: unknown) => {
          settled('completed');
          return value;
        },
        (error: unknown) => {
          settled(context.signal.aborted ? 'aborted' : 'failed');
          throw error;
        },
      );
    };
  const proxies = Object.fromEntries(tasks.map((task) => [task, proxyOf(task)]));
  return defineTasks(proxies, report && { report });
}

/** Yields the items of a dispatcher that cannot relay a call: up to the caller's window of items wait here too. */
async function* counted(
  items: AsyncIterable<unknown>,
  { signal }: TaskContext,
  settled: (ending: Ending) => void,
): AsyncGenerator<unknown, void> {
  let ending: Ending = 'aborted';
  try {
    yield* items;
    ending = 'completed';
  } catch (error) {
    if (!signal.aborted) ending = 'failed';
    throw error;
  } finally {
    settled(ending);
  }
}

/** Returns the options of a relayed call; undefined for most calls, so that the dispatcher has none to check. */
function optionsOf({ deadline, metadata, attempt }: TaskContext): ForwardedRunOptions | undefined {
  if (deadline === undefined && attempt === 1 && isEmpty(metadata)) return undefined;
  return {
    metadata: runStart.hasSubscribers ? withoutTrace(metadata) : metadata,
    // A deadline that has passed by now ends the call at once.
    ...(deadline !== undefined && { timeoutMs: Math.max(1, deadline - Date.now()) }),
    // Only above 1: a dispatcher of another make may not know the option.
    ...(attempt > 1 && { attempt }),
  };
}

function isEmpty(metadata: Readonly<Record<string, string>>): boolean {
  for (const _ in metadata) return false;
  return true;
}

/** Returns true for the error of a call that the dispatcher `name` lost with one of its workers. */
export function isLossOf(name: string, error: unknown): boolean {
  return DispatchError.is(error) && error.code === 'ERR_WORKER_LOST' && error.data.name === name;
}
