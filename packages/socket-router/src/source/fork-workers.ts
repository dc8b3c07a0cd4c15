import { type ChildProcess, fork } from 'node:child_process';
import { mallocVariables } from '@ticketing/kit';
import type { RouterWorker, WorkerChannel, WorkerSource } from '../contract/worker-source.ts';
import { endProcess } from './end-process.ts';
import { type ForkOptions, type ResolvedForkOptions, resolveForkOptions } from './fork-options.ts';

/**
 * Runs a module in child processes, which call `attachWorker`; slots are `0` to `workers - 1`. A process that ends is
 * replaced in its slot, after a delay that grows while it goes on to end; one that no longer takes connections at once,
 * and has 10 seconds to finish what it is answering. The processes start when a router subscribes and end with its
 * `close()`.
 *
 * @throws TypeError or RangeError for a module that is no URL, and for options that are unknown or out of range
 * @example
 * const router = createSocketRouter({ workers: forkWorkers(new URL('./worker.js', import.meta.url), 4) });
 */
export function forkWorkers(module: URL, options: number | ForkOptions): WorkerSource {
  return new ForkedWorkers(resolveForkOptions(module, options));
}

interface Slot {
  readonly name: string;
  child: ChildProcess | undefined;
  startedAt: number;
  delayMs: number;
  timer: NodeJS.Timeout | undefined;
}

class ForkedWorkers implements WorkerSource {
  readonly #options: ResolvedForkOptions;
  readonly #listeners = new Set<(worker: RouterWorker) => void>();
  readonly #slots: Slot[] = [];
  /** Those that were replaced and have not ended yet. */
  readonly #leaving = new Set<ChildProcess>();
  #closing = false;

  constructor(options: ResolvedForkOptions) {
    this.#options = options;
  }

  subscribe(listener: (worker: RouterWorker) => void): () => void {
    this.#listeners.add(listener);
    if (this.#slots.length === 0 && !this.#closing) {
      for (let index = 0; index < this.#options.workers; index++) {
        const slot = {
          name: String(index),
          child: undefined,
          startedAt: 0,
          delayMs: 0,
          timer: undefined,
        };
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
    // What is attached finishes what it has and exits when its channel ends.
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
      // Of a process that could not be started: it has no exit.
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

async function stop(child: ChildProcess, graceMs: number): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  // What is attached exits when its channel ends.
  if (child.connected) child.disconnect();
  await exited;
  clearTimeout(timer);
}

function asWorker(slot: Slot, child: ChildProcess): RouterWorker {
  return { slot: slot.name, pid: child.pid, channel: child as WorkerChannel };
}
