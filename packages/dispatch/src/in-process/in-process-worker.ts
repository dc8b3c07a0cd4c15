import { refuseLostObjects } from '@ticketing/kit';
import type { FromWorker } from '../contract/frames.ts';
import type { Movable, TaskMap, TaskModule } from '../contract/task.ts';
import type { Unsent, WorkerEvents, WorkerHandle, WorkerStart } from '../contract/transport.ts';
import { isFinalFailure } from '../define-tasks.ts';
import { DispatchError } from '../errors.ts';
import { nextMicrotask } from '../soon.ts';
import { isTransferred } from '../task-results.ts';
import type { WriterOptions } from '../wire/frame-writer.ts';
import { decodeFromWorker } from '../wire/from-worker-codec.ts';
import { postToWorker } from '../wire/to-worker-codec.ts';
import { serveTasks } from '../worker/serve-tasks.ts';
import { TaskWorker } from '../worker/task-worker.ts';

/** Starts a worker in this thread, whose values are handed over as they are. */
export function startDirectWorker(
  module: TaskModule<TaskMap>,
  { workerId, slot, workerData, module: url }: WorkerStart,
  events: WorkerEvents,
): WorkerHandle {
  const calls = new Calls(events);
  const emit = (frame: FromWorker): void => {
    const { kind } = frame;
    if ((kind === 'done' || kind === 'item') && isTransferred(frame.value)) {
      calls.answer({ ...frame, value: frame.value.value });
    } else calls.answer(frame);
  };
  const tasks = new TaskWorker();
  tasks
    .start({
      workerId,
      slot,
      module: url?.href ?? module,
      workerData: { value: workerData },
      emit,
      claim: calls.claim,
      stopped: (failure) => calls.end(failure),
      now: () => performance.now(),
    })
    .catch((error: unknown) => {
      const final = url !== undefined && isFinalFailure(error, url.href);
      emit({ kind: 'start-failed', error, final });
      calls.end();
    });
  const send: WorkerHandle['send'] = (frames) => {
    tasks.accept(frames);
    return nothingUnsent;
  };
  return handleOf(slot, calls, send, () => tasks.leave((runner) => runner.halt()));
}

const nothingUnsent: readonly Unsent[] = [];

/** Options of a writer for tests: it also refuses values of a task that `json` has marked wrongly. */
const writing: WriterOptions = { transfers: true, checksJson: true };

/**
 * Starts a worker in this thread whose frames are written, cloned and read as between threads: what cannot cross to a thread
 * cannot cross here, and what is transferred is gone.
 */
export function startCloningWorker(
  module: TaskModule<TaskMap>,
  { workerId, slot, workerData, module: url }: WorkerStart,
  events: WorkerEvents,
): WorkerHandle {
  refuseLostObjects(workerData, 'port');
  const cloned: unknown = structuredClone(workerData);
  const calls = new Calls(events);
  const served = serveTasks({
    workerId,
    slot,
    workerData: () => cloned,
    module: url?.href ?? module,
    post: (message, transfer) => {
      for (const frame of decodeFromWorker(structuredClone(message, { transfer })) ?? []) {
        calls.answer(frame);
      }
    },
    claim: calls.claim,
    memoryBytes: () => 0,
    // This thread has a load of its own.
    load: () => undefined,
    exit: () => calls.end(),
    ...writing,
  });
  const post = (message: unknown, transfer: Movable[]): void =>
    served.receive(structuredClone(message, { transfer }));
  const send: WorkerHandle['send'] = (frames, inFlight) =>
    postToWorker(frames, post, writing, inFlight);
  return handleOf(slot, calls, send, () => {
    const data = { name: `worker of slot ${slot}` };
    served.abandon(new DispatchError('ERR_CLOSED', 'The worker was ended', { data }));
  });
}

function handleOf(
  slot: number,
  calls: Calls,
  send: WorkerHandle['send'],
  leave: () => void,
): WorkerHandle {
  return {
    pid: process.pid,
    slot,
    send,
    started: () => calls.started,
    kill() {
      leave();
      calls.end();
    },
    // Tasks here keep the process alive or not by themselves.
    hold() {},
  };
}

/** Calls of a worker of this thread: the latest that has begun, and answers, delivered together in a microtask, never while the kernel sends. */
class Calls {
  readonly #events: WorkerEvents;
  #started = 0;
  #answers: FromWorker[] = [];
  #hasEnded = false;

  constructor(events: WorkerEvents) {
    this.#events = events;
  }

  get started(): number {
    return this.#started;
  }

  readonly claim = (seq: number): boolean => {
    this.#started = seq;
    return true;
  };

  answer(frame: FromWorker): void {
    if (this.#hasEnded) return;
    if (this.#answers.length === 0) nextMicrotask(this.#deliver);
    this.#answers.push(frame);
  }

  /** Reports the end of the worker once, after the frames before it. */
  end(failure?: { readonly error: unknown }): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    nextMicrotask(() => {
      const cause = failure === undefined ? {} : { cause: failure.error };
      this.#events.exit({ exitCode: undefined, signal: undefined, stderrTail: '', ...cause });
    });
  }

  readonly #deliver = (): void => {
    const frames = this.#answers;
    this.#answers = [];
    this.#events.frames(frames);
  };
}
