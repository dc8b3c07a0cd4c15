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
import type { Transport } from '../contract/transport.ts';
import {
  aSignal,
  between,
  checkByRules,
  MAX_TIMER_MS,
  type Rule,
  type Rules,
  wholeBetween,
  wrongOption,
} from '../option-rules.ts';
import type { CallOwner } from './call.ts';
import { closed } from './call-errors.ts';
import { CapacityWaiters } from './capacity-waiters.ts';
import { drain } from './drain.ts';
import type { Kernel } from './kernel.ts';
import { type MapInputs, mapBy } from './map-tasks.ts';
import { reload } from './reload.ts';
import { MAX_WORKERS } from './resolve-pool-options.ts';
import { statsOf } from './stats.ts';

const aUrl: Rule = { expected: 'a URL', test: (value) => value instanceof URL };
const reloadRules = { module: aUrl, parallel: wholeBetween(1, MAX_WORKERS) } satisfies Rules;

/** The dispatcher that a kernel's workers belong to. Starts them; from then on `close()` is owed. */
export class KernelDispatcher implements Dispatcher<TaskMap> {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  readonly #kernel: Kernel;
  readonly #capacity: CapacityWaiters;
  #idle: (() => void)[] = [];
  #draining: Promise<DrainReport> | undefined;
  #closing: Promise<void> | undefined;
  #reloading: { readonly href: string | undefined; readonly done: Promise<void> } | undefined;

  constructor(transport: Transport, kernel: Kernel) {
    this.kind = transport.kind;
    this.capabilities = transport.capabilities;
    this.#kernel = kernel;
    this.#capacity = new CapacityWaiters(kernel);
    kernel.onRoom = () => this.#capacity.wake();
    kernel.onIdle = () => {
      for (const resolve of this.#idle.splice(0)) resolve();
    };
    kernel.start();
  }

  get state(): DispatcherState {
    const { pool, isDraining } = this.#kernel;
    if (pool.isClosed) return 'closed';
    if (isDraining) return 'draining';
    if (pool.circuit.state === 'closed' && pool.readyCount >= pool.min) return 'ready';
    return pool.everReady || pool.circuit.state !== 'closed' ? 'degraded' : 'starting';
  }

  ready(): Promise<void> {
    return this.#kernel.pool.whenReady();
  }

  // biome-ignore lint/suspicious/noExplicitAny: the contract types input and output by the task's name
  run(task: string, input: unknown, options?: RunOptions, owner?: CallOwner): Promise<any> {
    this.#capacity.used();
    return this.#kernel.run(task, input, options, owner && { owner });
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
    if (signal !== undefined && !aSignal.test(signal)) {
      return Promise.reject(wrongOption('wait for capacity', 'signal', aSignal, signal));
    }
    return this.#capacity.wait(signal);
  }

  stats(): DispatcherStats {
    return statsOf(this.#kernel, this.kind, this.state);
  }

  reload(options: ReloadOptions = {}): Promise<void> {
    try {
      checkByRules('reload', options, reloadRules);
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#kernel.pool.isClosed) return Promise.reject(closed(this.#kernel.options.name));
    const under = this.#reloading;
    const href = options.module?.href;
    if (under !== undefined && under.href === href) return under.done;
    const begin = (): Promise<void> => reload(this.#kernel.pool, options);
    const done = under === undefined ? begin() : under.done.then(begin, begin);
    const mine = { href, done };
    this.#reloading = mine;
    const end = (): void => {
      if (this.#reloading === mine) this.#reloading = undefined;
    };
    done.then(end, end);
    return done;
  }

  drain(options: DrainOptions = {}): Promise<DrainReport> {
    try {
      checkByRules('drain', options, { timeoutMs: between(1, MAX_TIMER_MS) });
    } catch (error) {
      return Promise.reject(error);
    }
    const kernel = this.#kernel;
    kernel.isDraining = true;
    this.#draining ??= drain(kernel, options.timeoutMs, {
      counts: () => ({
        active: kernel.active,
        answered: kernel.counts.completed + kernel.counts.failed,
      }),
      idle: () => new Promise((resolve) => this.#idle.push(resolve)),
    });
    return this.#draining;
  }

  close(options: CloseOptions = {}): Promise<void> {
    try {
      checkByRules('close', options, { graceMs: between(0, MAX_TIMER_MS) });
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#closing === undefined) {
      const { name, stopGraceMs } = this.#kernel.options;
      this.#capacity.close(closed(name));
      this.#closing = this.#kernel.close(options.graceMs ?? stopGraceMs);
    }
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
