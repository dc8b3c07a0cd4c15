import {
  type Dispatcher,
  defineTasks,
  type TaskContext,
  type TaskMap,
  type TaskModule,
} from '@ticketing/dispatch';

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
          metadata,
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
