import { refuseLostObjects } from '@ticketing/kit';
import type { FromWorker, ToWorker } from './contract/frames.ts';
import type { Movable, TaskMap, TaskModule } from './contract/task.ts';
import type { Unsent, WorkerEvents, WorkerHandle, WorkerStart } from './contract/transport.ts';
import { DispatchError } from './errors.ts';
import { nextMicrotask } from './soon.ts';
import type { WriterOptions } from './wire/frame-writer.ts';
import { decodeFromWorker } from './wire/from-worker-codec.ts';
import { postToWorker } from './wire/to-worker-codec.ts';
import { type Served, serveTasks } from './worker/serve-tasks.ts';

/** This worker is for tests, so it also refuses values of a task that `json` has marked wrongly. */
const writing: WriterOptions = { transfers: true, checksJson: true };

/**
 * A worker in this thread whose frames are written, cloned and read as those of a thread are: what cannot cross to a thread
 * cannot cross here, and what is transferred is gone.
 */
export class CloningWorker implements WorkerHandle {
  readonly pid: number = process.pid;
  readonly slot: number;
  readonly #events: WorkerEvents;
  readonly #served: Served;
  #started = 0;
  /** Delivered together in a microtask, never while the kernel sends. */
  #unread: FromWorker[] = [];
  #hasEnded = false;

  constructor(module: TaskModule<TaskMap>, start: WorkerStart, events: WorkerEvents) {
    const { workerId, slot, module: url } = start;
    refuseLostObjects(start.workerData, 'port');
    const workerData: unknown = structuredClone(start.workerData);
    this.slot = slot;
    this.#events = events;
    this.#served = serveTasks({
      workerId,
      slot,
      workerData: () => workerData,
      module: url?.href ?? module,
      post: (message, transfer) => this.#hear(structuredClone(message, { transfer })),
      claim: (seq) => {
        this.#started = seq;
        return true;
      },
      memoryBytes: () => 0,
      // This thread has a load of its own.
      load: () => undefined,
      exit: () => this.#end(),
      ...writing,
    });
  }

  send(frames: readonly ToWorker[], inFlight?: number): readonly Unsent[] {
    const post = (message: unknown, transfer: Movable[]): void =>
      this.#served.receive(structuredClone(message, { transfer }));
    return postToWorker(frames, post, writing, inFlight);
  }

  started(): number {
    return this.#started;
  }

  kill(): void {
    const name = `worker of slot ${this.slot}`;
    this.#served.abandon(
      new DispatchError('ERR_CLOSED', 'The worker was ended', { data: { name } }),
    );
    this.#end();
  }

  /** Does nothing: tasks here keep the process alive or not by themselves. */
  hold(): void {}

  #hear(message: unknown): void {
    if (this.#hasEnded) return;
    if (this.#unread.length === 0) nextMicrotask(this.#deliver);
    this.#unread.push(...(decodeFromWorker(message) ?? []));
  }

  readonly #deliver = (): void => {
    const frames = this.#unread;
    this.#unread = [];
    this.#events.frames(frames);
  };

  /** Reports the end, after the frames before it. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    nextMicrotask(() =>
      this.#events.exit({ exitCode: undefined, signal: undefined, stderrTail: '' }),
    );
  }
}
