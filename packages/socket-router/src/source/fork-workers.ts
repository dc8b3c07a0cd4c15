import { type ChildProcess, fork } from 'node:child_process';
import {
  anObject,
  mallocVariables,
  type Rules,
  required,
  resolveByRules,
  texts,
  wholeBetween,
} from '@ticketing/kit';
import type { RouterWorker, WorkerChannel, WorkerSource } from '../contract/worker-source.ts';

const ACTION = 'fork workers';

/** How worker processes are started. */
export interface ForkOptions {
  /** How many, 1 to 1,024. */
  readonly workers: number;
  /**
   * Before the number in the names of the slots: `canary-` for `canary-0`. Default: none. Two sources of one router need
   * different ones.
   */
  readonly slotPrefix?: string | undefined;
  /** Least and greatest delay before a process that ended is replaced, in milliseconds: default [100, 5000]. */
  readonly backoffMs?: readonly [number, number] | undefined;
  /** The processes' environment; default this one's. Unless it configures malloc, glibc is set to keep up to 64 MiB of freed memory. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Options of Node itself; default this process's. */
  readonly execArgv?: readonly string[] | undefined;
}

interface ResolvedForkOptions extends Pick<ForkOptions, 'workers' | 'env' | 'execArgv'> {
  readonly module: URL;
  readonly slotPrefix: string;
  readonly backoffMs: readonly [number, number];
}

const RULES: Rules = {
  workers: required(wholeBetween(1, 1024)),
  slotPrefix: {
    expected: 'a text',
    fallback: '',
    test: (value) => typeof value === 'string',
  },
  backoffMs: {
    expected: 'two integers of 1 or more, the second not below the first',
    fallback: [100, 5000],
    test: (value) =>
      Array.isArray(value) &&
      value.length === 2 &&
      value.every((one) => Number.isSafeInteger(one) && one >= 1 && one < 2 ** 31) &&
      value[0] <= value[1],
  },
  env: anObject,
  execArgv: texts,
};

/**
 * Returns child processes that run a module as a source; the module calls `attachServer`, and slots are `0` to
 * `workers - 1`, with `slotPrefix` before them. A process that ends is replaced in its slot, after a delay that grows while processes keep ending; a
 * process that no longer takes connections is replaced at once and has 10 seconds to finish what it is answering. The
 * processes start when a router subscribes and end with its `close()`.
 *
 * @throws TypeError or RangeError for a module that is no URL, and for options that are unknown or out of range
 * @example
 * const router = createSocketRouter({ workers: forkWorkers(new URL('./worker.js', import.meta.url), 4) });
 */
export function forkWorkers(module: URL, options: number | ForkOptions): WorkerSource {
  if (!(module instanceof URL)) {
    throw new TypeError(`Cannot ${ACTION}: \`module\` must be a URL, got ${String(module)}`);
  }
  const named = typeof options === 'number' ? { workers: options } : options;
  const resolved = resolveByRules<Omit<ResolvedForkOptions, 'module'>>(ACTION, named, RULES);
  return new ForkedWorkers({ module, ...resolved });
}

interface Slot {
  readonly name: string;
  child: ChildProcess | undefined;
  startedAt: number;
  delayMs: number;
  timer: NodeJS.Timeout | undefined;
}

class ForkedWorkers implements WorkerSource {
  readonly slots: readonly string[];
  readonly #options: ResolvedForkOptions;
  readonly #listeners = new Set<(worker: RouterWorker) => void>();
  readonly #slots: Slot[] = [];
  /** Processes that were replaced and have not ended yet. */
  readonly #leaving = new Set<ChildProcess>();
  #closing = false;

  constructor(options: ResolvedForkOptions) {
    this.#options = options;
    const { workers, slotPrefix } = options;
    this.slots = Array.from({ length: workers }, (_, index) => `${slotPrefix}${index}`);
  }

  subscribe(listener: (worker: RouterWorker) => void): () => void {
    this.#listeners.add(listener);
    if (this.#slots.length === 0 && !this.#closing) {
      for (const name of this.slots) {
        const slot = { name, child: undefined, startedAt: 0, delayMs: 0, timer: undefined };
        this.#slots.push(slot);
        this.#start(slot);
      }
    } else {
      for (const slot of this.#slots)
        if (slot.child?.connected) listener(asWorker(slot, slot.child));
    }
    return () => this.#listeners.delete(listener);
  }

  async close({ graceMs }: { readonly graceMs: number }): Promise<void> {
    this.#closing = true;
    for (const { timer } of this.#slots) clearTimeout(timer);
    const children = [...this.#leaving];
    for (const { child } of this.#slots) if (child !== undefined) children.push(child);
    await Promise.all(children.map((child) => stop(child, graceMs)));
  }

  replace({ pid }: RouterWorker): void {
    const slot = this.#slots.find(({ child }) => child?.pid === pid);
    const child = slot?.child;
    if (slot === undefined || child === undefined || this.#closing) return;
    this.#leaving.add(child);
    child.once('exit', () => this.#leaving.delete(child));
    // An attached worker finishes its connections and exits when its channel ends.
    if (child.connected) child.disconnect();
    endProcess(child);
    this.#start(slot);
  }

  #start(slot: Slot): void {
    const { module, env = process.env, execArgv } = this.#options;
    slot.timer = undefined;
    slot.startedAt = performance.now();
    const child = fork(module, {
      // JSON would cost half as much again: the first bytes of a connection are binary.
      serialization: 'advanced',
      env: { ...mallocVariables(env), ...env },
      ...(execArgv && { execArgv: [...execArgv] }),
    });
    slot.child = child;
    child.once('exit', () => this.#ended(slot, child));
    child.on('error', () => {
      // A process that could not be started emits no exit.
      if (child.pid === undefined) this.#ended(slot, child);
    });
    if (child.pid === undefined) return;
    for (const listener of this.#listeners) listener(asWorker(slot, child));
  }

  #ended(slot: Slot, child: ChildProcess): void {
    if (slot.child !== child) return;
    slot.child = undefined;
    if (this.#closing) return;
    const [minMs, maxMs] = this.#options.backoffMs;
    const livedLong = performance.now() - slot.startedAt > maxMs;
    slot.delayMs = livedLong ? 0 : Math.min(Math.max(minMs, slot.delayMs * 2), maxMs);
    slot.timer = setTimeout(() => this.#start(slot), slot.delayMs);
  }
}

function asWorker(slot: Slot, child: ChildProcess): RouterWorker {
  return { slot: slot.name, pid: child.pid, channel: child as WorkerChannel };
}

async function stop(child: ChildProcess, graceMs: number): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  // An attached worker exits when its channel ends.
  if (child.connected) child.disconnect();
  await exited;
  clearTimeout(timer);
}

/** Milliseconds that a replaced worker has to finish what it is answering. */
const REPLACED_GRACE_MS = 10_000;

/** Ends a process that may be stopped or not answer: by a signal, if one is given, and by SIGKILL if it stays alive. */
export function endProcess(child: ChildProcess, signal?: 'SIGTERM'): void {
  const timer = setTimeout(() => child.kill('SIGKILL'), REPLACED_GRACE_MS);
  timer.unref();
  child.once('exit', () => clearTimeout(timer));
  if (signal !== undefined) child.kill(signal);
}
