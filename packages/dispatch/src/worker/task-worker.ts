import type { ToWorker } from '../contract/frames.ts';
import type { TaskHooks, TaskMap, TaskModule } from '../contract/task.ts';
import { loadTaskModule } from '../define-tasks.ts';
import { existingModule } from './existing-module.ts';
import { TaskRunner, type TaskRunnerOptions } from './task-runner.ts';

export interface TaskWorkerOptions extends Omit<TaskRunnerOptions, 'workerData'> {
  /** Address of the module, as `file:///…`, or the module. */
  readonly module: string | TaskModule<TaskMap>;
  /** Adds the worker's own work to the module's hooks. */
  readonly around?: ((hooks: TaskHooks) => TaskHooks) | undefined;
  /** Value of `workerData` in the task's context, or a function that returns it, or a promise of it, before the module is loaded. */
  readonly workerData: { readonly value: unknown } | { readonly ask: () => unknown };
}

type State =
  | { readonly kind: 'loading'; readonly early: ToWorker[] }
  | { readonly kind: 'ready'; readonly runner: TaskRunner }
  | { readonly kind: 'left'; readonly leave: (runner: TaskRunner) => void };

/** Tasks of a worker, from the loading of its module on: frames that come before it is ready are applied afterwards. */
export class TaskWorker {
  #state: State = { kind: 'loading', early: [] };

  /** Loads the module, and starts its runner. @throws what loading or `setup` throws */
  async start({ module, around, workerData, ...options }: TaskWorkerOptions): Promise<void> {
    // No turn is lost without a question.
    const value = 'ask' in workerData ? await workerData.ask() : workerData.value;
    const { tasks, hooks } =
      typeof module === 'string' ? await loadTaskModule(existingModule(module)) : module;
    const runner = new TaskRunner(
      { tasks, hooks: around?.(hooks) ?? hooks },
      { ...options, workerData: value },
    );
    await runner.start();
    const before = this.#state;
    if (before.kind === 'left') {
      before.leave(runner);
      return;
    }
    this.#state = { kind: 'ready', runner };
    if (before.kind === 'loading') runner.accept(before.early);
  }

  accept(frames: readonly ToWorker[]): void {
    if (this.#state.kind === 'ready') this.#state.runner.accept(frames);
    else if (this.#state.kind === 'loading') this.#state.early.push(...frames);
  }

  /** Whether the tasks are ready, and none runs or waits. */
  get isIdle(): boolean {
    return this.#state.kind === 'ready' && this.#state.runner.isIdle;
  }

  /** Leaves the tasks alone from now on: no frame is applied, and none is emitted once they are ready. */
  leave(leave: (runner: TaskRunner) => void): void {
    if (this.#state.kind === 'ready') leave(this.#state.runner);
    this.#state = { kind: 'left', leave };
  }
}
