import type { Dispatcher, InputOf, OutputOf, RunOptions } from '@ticketing/dispatch';
import type { ConformanceTasks } from './conformance-task-map.ts';

/** A call of a task that reports `started`. */
export interface StartedRun<O> {
  readonly answer: Promise<O>;
}

/** Runs a task and resolves when it says that it has started. @throws what the call rejects with before */
export async function startRun<K extends 'hold' | 'ignoreAbort'>(
  dispatcher: Dispatcher<ConformanceTasks>,
  task: K,
  input: InputOf<ConformanceTasks, K>,
  options: Omit<RunOptions, 'onProgress'> = {},
): Promise<StartedRun<OutputOf<ConformanceTasks, K>>> {
  let onProgress = (): void => {};
  const started = new Promise<void>((resolve) => {
    onProgress = resolve;
  });
  const answer = dispatcher.run(task, input, { ...options, onProgress: () => onProgress() });
  // Whoever awaits it later gets it; until then it must not be an unhandled rejection.
  answer.catch(() => {});
  await Promise.race([started, answer]);
  return { answer };
}
