import { EventEmitter } from 'node:events';
import {
  anObject,
  type Circuit,
  createCircuit,
  milliseconds,
  optionsOf,
  type Restart,
  type Rules,
  refuseNesting,
  required,
  resolveByRules,
  restartRules,
  texts,
  wholeBetween,
} from '@ticketing/kit';
import type { RouterWorker, WorkerSource } from '../contract/worker-source.ts';
import type { RouterError } from '../errors.ts';
import { ForkedProcess } from './forked-process.ts';

const ACTION = 'fork workers';

/** Options of `forkWorkers`. */
export interface ForkOptions {
  /** Number of workers, 1 to 1,024. */
  readonly workers: number;
  /**
   * Text before the number in the names of the slots: `canary-` for `canary-0`. Default: none. Two sources of one router need
   * different ones.
   */
  readonly slotPrefix?: string | undefined;
  /** Restarts of processes that end before they served. */
  readonly restart?: RestartOptions | undefined;
  /** Milliseconds in which a process must serve, 1 to 2^31-1; then it is killed, which is a failure. Default 30,000. */
  readonly startTimeoutMs?: number | undefined;
  /** The processes' environment; default this one's. Unless it configures malloc, glibc is set to keep up to 64 MiB of freed memory. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Options of Node itself; default this process's, but for its `--eval`, `--watch` and `--test`; with its `--inspect` each has a
   * port of its own, which the diagnostics channel `ticketing:socket-router:inspector-open` names.
   */
  readonly execArgv?: readonly string[] | undefined;
}

/** Limits of repeated starts. */
export interface RestartOptions {
  /**
   * Milliseconds before the first restart, and before later ones at most; doubles, half of it random. Also the delay after a
   * process that served for a short time. Default [100, 5000].
   */
  readonly backoffMs?: readonly [min: number, max: number] | undefined;
  /**
   * Tolerated failures within `withinMs`, or failed starts in a row; one more opens the circuit: from then on one process is
   * started at a time, after the longest back-off, until one serves. 0 to 10,000. Default 5.
   */
  readonly maxFailures?: number | undefined;
  /** Milliseconds, 1 to 2^31-1. Default 10,000. */
  readonly withinMs?: number | undefined;
}

interface ResolvedForkOptions extends Pick<ForkOptions, 'workers' | 'env' | 'execArgv'> {
  readonly module: URL;
  readonly slotPrefix: string;
  readonly restart: Restart;
  readonly startTimeoutMs: number;
}

const RULES: Rules = {
  workers: required(wholeBetween(1, 1024)),
  slotPrefix: {
    expected: 'a text',
    fallback: '',
    test: (value) => typeof value === 'string',
  },
  restart: optionsOf(restartRules),
  startTimeoutMs: milliseconds(1, 30_000),
  env: anObject,
  execArgv: texts,
};

/**
 * Returns child processes that run a module as a source; the module calls `attachServer`, and slots are `0` to
 * `workers - 1`, with `slotPrefix` before them. A process that ends is replaced in its slot, after a delay that grows while
 * processes keep ending; when they keep ending before they serve, a circuit opens, with the reason. A process that no longer
 * claims connections is replaced at once and has 10 seconds to finish what it is answering. The processes start when a router
 * subscribes and end with its `close()`. Their standard error is passed on to that of this process.
 *
 * @throws TypeError or RangeError for a module that is no URL, and for options that are unknown or out of range
 * @example
 * const router = createSocketRouter({ workers: forkWorkers(new URL('./worker.js', import.meta.url), 4) });
 */
export function forkWorkers(module: URL, options: number | ForkOptions): WorkerSource {
  if (!(module instanceof URL)) {
    throw new TypeError(`Cannot ${ACTION}: \`module\` must be a URL, got ${String(module)}`);
  }
  refuseNesting(ACTION, module, 'keep the program of the workers in a separate file');
  const named = typeof options === 'number' ? { workers: options } : options;
  const resolved = resolveByRules<Omit<ResolvedForkOptions, 'module'>>(ACTION, named, RULES);
  const restart = resolveByRules<Restart>(ACTION, resolved.restart, restartRules, 'restart');
  return new ForkedWorkers({ module, ...resolved, restart });
}

interface Slot {
  readonly name: string;
  process: ForkedProcess | undefined;
  /** Delay of the next start after a process that served: grows while such processes live for a short time. */
  delayMs: number;
  timer: NodeJS.Timeout | undefined;
}

class ForkedWorkers implements WorkerSource {
  readonly slots: readonly string[];
  readonly events = new EventEmitter<{ 'circuit-open': [{ readonly error: unknown }] }>();
  readonly #options: ResolvedForkOptions;
  readonly #circuit: Circuit;
  readonly #listeners = new Set<(worker: RouterWorker) => void>();
  readonly #slots: Slot[] = [];
  /** Processes that were replaced and have not ended yet. */
  readonly #leaving = new Set<ForkedProcess>();
  /** Processes that have neither served nor ended. */
  readonly #starting = new Set<ForkedProcess>();
  #failedStarts = 0;
  #probeTimer: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(options: ResolvedForkOptions) {
    this.#options = options;
    this.#circuit = createCircuit(options.restart, Math.random);
    const { workers, slotPrefix } = options;
    this.slots = Array.from({ length: workers }, (_, index) => `${slotPrefix}${index}`);
  }

  subscribe(listener: (worker: RouterWorker) => void): () => void {
    this.#listeners.add(listener);
    if (this.#slots.length === 0 && !this.#closing) {
      for (const name of this.slots) {
        this.#slots.push({ name, process: undefined, delayMs: 0, timer: undefined });
      }
      this.#fill();
    } else {
      for (const { process } of this.#slots) if (process?.worker) listener(process.worker);
    }
    return () => this.#listeners.delete(listener);
  }

  async close({ graceMs }: { readonly graceMs: number }): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#probeTimer);
    for (const { timer } of this.#slots) clearTimeout(timer);
    const processes = [...this.#leaving, ...this.#slots.map(({ process }) => process)];
    await Promise.all(processes.map((process) => process?.stop(graceMs)));
  }

  replace({ pid }: RouterWorker): void {
    const slot = this.#slots.find(({ process }) => process?.pid === pid);
    const process = slot?.process;
    if (slot === undefined || process === undefined || this.#closing) return;
    this.#leaving.add(process);
    this.#starting.delete(process);
    slot.process = undefined;
    process.leave();
    this.#fill();
  }

  /** Starts a process in each slot that has none, and that no timer will fill. */
  #fill(): void {
    if (this.#circuit.state !== 'closed') return;
    for (const slot of this.#slots) {
      if (slot.process === undefined && slot.timer === undefined) this.#start(slot);
    }
  }

  #start(slot: Slot): void {
    const { module, env, execArgv, startTimeoutMs } = this.#options;
    const started: ForkedProcess = new ForkedProcess(
      { module, env, execArgv, startTimeoutMs, slot: slot.name },
      {
        served: () => {
          this.#starting.delete(started);
          this.#served();
        },
        ended: (failure) => this.#ended(slot, started, failure),
      },
    );
    slot.process = started;
    this.#starting.add(started);
    const { worker } = started;
    if (worker !== undefined) for (const listener of this.#listeners) listener(worker);
  }

  #served(): void {
    this.#failedStarts = 0;
    this.#circuit.succeeded();
    clearTimeout(this.#probeTimer);
    if (!this.#closing) this.#fill();
  }

  #ended(slot: Slot, ended: ForkedProcess, failure: RouterError | undefined): void {
    this.#leaving.delete(ended);
    this.#starting.delete(ended);
    if (slot.process !== ended) return;
    slot.process = undefined;
    if (this.#closing) return;
    if (failure !== undefined) {
      this.#failed(slot, failure);
    } else if (this.#circuit.state === 'closed') {
      const [minMs, maxMs] = this.#options.restart.backoffMs;
      const livedLong = performance.now() - ended.startedAt > maxMs;
      slot.delayMs = livedLong ? 0 : Math.min(Math.max(minMs, slot.delayMs * 2), maxMs);
      this.#startLater(slot, slot.delayMs);
    }
  }

  #startLater(slot: Slot, afterMs: number): void {
    slot.timer = setTimeout(() => {
      slot.timer = undefined;
      this.#fill();
    }, afterMs);
  }

  #failed(slot: Slot, error: RouterError): void {
    const wasOpen = this.#circuit.state === 'open';
    this.#failedStarts += 1;
    // Starts in a row count, however slow: one that hangs for half a minute would never fail often enough within the period.
    const isFinal = this.#failedStarts > this.#options.restart.maxFailures;
    const decision = this.#circuit.failed(performance.now(), error, isFinal);
    if (decision.kind === 'retry') {
      this.#startLater(slot, decision.afterMs);
      return;
    }
    for (const each of this.#slots) {
      clearTimeout(each.timer);
      each.timer = undefined;
    }
    clearTimeout(this.#probeTimer);
    this.#probeTimer = setTimeout(() => this.#probe(), decision.probeAfterMs);
    // Nothing waits for a probe: its timer must not keep the process alive.
    this.#probeTimer.unref();
    if (!wasOpen) this.events.emit('circuit-open', { error });
  }

  /**
   * Starts one process, which closes the circuit if it serves. While one is starting that one is the probe: its end asks for
   * the next.
   */
  #probe(): void {
    if (this.#starting.size > 0) return;
    const slot = this.#slots.find(({ process }) => process === undefined);
    this.#circuit.probing();
    if (slot === undefined) this.#served();
    else this.#start(slot);
  }
}
