import { AsyncResource } from 'node:async_hooks';
import type { FromWorker } from '../contract/frames.ts';
import type { TaskContext, TaskHooks } from '../contract/task.ts';

const REPORT_EVERY_MS = 500;

/** Calls the hooks of a module in the async context of the worker's start, whoever caused them. */
export class ModuleHooks {
  /** Async context, destroyed at the end of the worker: hooks hold what belongs to it until then. */
  readonly scope: AsyncResource = new AsyncResource('ticketing.dispatch');
  readonly #hooks: TaskHooks;
  #reporting: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(hooks: TaskHooks) {
    this.#hooks = hooks;
  }

  /** Runs hooks and listeners apart from the context of their cause. */
  apart<T>(work: () => T): T {
    return this.scope.runInAsyncScope(work);
  }

  /** @throws what `setup` throws */
  async setUp(worker: Pick<TaskContext, 'workerId' | 'slot' | 'workerData'>): Promise<void> {
    await this.apart(() => this.#hooks.setup?.(worker));
  }

  /** Sends what `report` returns, now and twice a second. */
  report(send: (frame: FromWorker) => void): void {
    const { report } = this.#hooks;
    if (report === undefined || this.#hasEnded) return;
    const once = (): void => {
      try {
        send({ kind: 'module-report', data: report() });
      } catch {
        // A worker does not end for a statistic.
      }
    };
    this.apart(() => {
      this.#reporting = setInterval(once, REPORT_EVERY_MS).unref();
      once();
    });
  }

  /** Sends the answer to a question for the worker's health. */
  checkHealth(send: (frame: FromWorker) => void): void {
    void this.apart(async () => {
      try {
        await this.#hooks.health?.();
        send({ kind: 'healthy' });
      } catch (error) {
        send({ kind: 'healthy', error });
      }
    });
  }

  /** Runs `teardown`, ends, and calls back with its error, if it failed. */
  tearDown(stopped: (failure: { readonly error: unknown } | undefined) => void): void {
    clearInterval(this.#reporting);
    void this.apart(async () => {
      let failure: { readonly error: unknown } | undefined;
      try {
        await this.#hooks.teardown?.();
      } catch (error) {
        failure = { error };
      }
      this.end();
      stopped(failure);
    });
  }

  /** Stops reporting, and destroys the context: nothing more runs in it. */
  end(): void {
    clearInterval(this.#reporting);
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.scope.emitDestroy();
  }
}
