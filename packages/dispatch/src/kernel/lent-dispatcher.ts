import type {
  Capabilities,
  CloseOptions,
  Dispatcher,
  DrainOptions,
  DrainReport,
  ReloadOptions,
} from '../contract/dispatcher.ts';
import type { DispatcherKind, DispatcherState } from '../contract/dispatcher-state.ts';
import type { DispatcherStats } from '../contract/dispatcher-stats.ts';
import type { MapOptions, RunOptions } from '../contract/run-options.ts';
import type { TaskMap } from '../contract/task.ts';
import { between, checkByRules, MAX_TIMER_MS } from '../option-rules.ts';
import type { CallOwner } from './call.ts';
import { closed, draining } from './call-errors.ts';
import { drain } from './drain.ts';
import type { Kernel } from './kernel.ts';
import type { Ending } from './kernel-counts.ts';
import type { KernelDispatcher } from './kernel-dispatcher.ts';
import { type MapInputs, mapBy } from './map-tasks.ts';

/** A dispatcher over workers of another: `drain()` and `close()` concern the calls made here, and the workers stay. */
export class LentDispatcher implements Dispatcher<TaskMap>, CallOwner {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  readonly #owner: KernelDispatcher;
  readonly #kernel: Kernel;
  readonly #closed = new AbortController();
  #active = 0;
  #answered = 0;
  #draining: Promise<DrainReport> | undefined;
  #idle: () => void = () => {};

  constructor(owner: KernelDispatcher, kernel: Kernel) {
    this.kind = owner.kind;
    this.capabilities = owner.capabilities;
    this.#owner = owner;
    this.#kernel = kernel;
  }

  get state(): DispatcherState {
    if (this.#closed.signal.aborted) return 'closed';
    const { state } = this.#owner;
    return state !== 'closed' && this.#draining !== undefined ? 'draining' : state;
  }

  ready(): Promise<void> {
    return this.#closed.signal.aborted
      ? Promise.reject(closed(this.#kernel.options.name))
      : this.#owner.ready();
  }

  // biome-ignore lint/suspicious/noExplicitAny: the contract types input and output by the task's name
  run(task: string, input: unknown, options?: RunOptions): Promise<any> {
    const { name } = this.#kernel.options;
    if (this.#closed.signal.aborted) return Promise.reject(closed(name, task));
    if (this.#draining !== undefined) return Promise.reject(draining(name, task));
    return this.#owner.run(task, input, options, this);
  }

  took(): void {
    this.#active += 1;
  }

  settled(ending: Ending): void {
    this.#active -= 1;
    if (ending === 'completed' || ending === 'failed') this.#answered += 1;
    if (this.#active === 0) this.#idle();
  }

  map(
    task: string,
    inputs: MapInputs,
    options: MapOptions = {},
    // biome-ignore lint/suspicious/noExplicitAny: as of `run`
  ): AsyncIterable<PromiseSettledResult<any>> {
    return mapBy(this, this.#kernel, { task, inputs, options });
  }

  capacity(signal?: AbortSignal): Promise<void> {
    const { signal: ours } = this.#closed;
    if (ours.aborted) return Promise.reject(ours.reason);
    if (signal === undefined) return this.#owner.capacity(ours);
    const isSignal = signal instanceof AbortSignal;
    return this.#owner.capacity(isSignal ? AbortSignal.any([signal, ours]) : signal);
  }

  stats(): DispatcherStats {
    return { ...this.#owner.stats(), state: this.state };
  }

  reload(options?: ReloadOptions): Promise<void> {
    if (!this.#closed.signal.aborted) return this.#owner.reload(options);
    return Promise.reject(closed(this.#kernel.options.name));
  }

  drain(options: DrainOptions = {}): Promise<DrainReport> {
    try {
      checkByRules('drain', options, { timeoutMs: between(1, MAX_TIMER_MS) });
    } catch (error) {
      return Promise.reject(error);
    }
    this.#draining ??= drain(this.#kernel, options.timeoutMs, {
      counts: () => ({ active: this.#active, answered: this.#answered }),
      idle: () =>
        new Promise((resolve) => {
          this.#idle = resolve;
        }),
      owner: this,
    });
    return this.#draining;
  }

  close(options: CloseOptions = {}): Promise<void> {
    try {
      checkByRules('close', options, { graceMs: between(0, MAX_TIMER_MS) });
    } catch (error) {
      return Promise.reject(error);
    }
    const { name } = this.#kernel.options;
    this.#closed.abort(closed(name));
    this.#kernel.giveUpAll((task) => closed(name, task), 'rejected', this);
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
