import type { RunFrame } from '../contract/frames.ts';
import type { TaskContext } from '../contract/task.ts';

/** What a run tells its runner. */
export interface RunOwner {
  readonly workerId: number;
  progress(run: TaskRun, data: unknown): void;
}

const noMetadata: Readonly<Record<string, string>> = Object.freeze({});

/** One call of a task: the context that the task gets, and what the runner knows of it. */
export class TaskRun implements TaskContext {
  readonly startedAt: number;
  settled = false;
  readonly #frame: RunFrame;
  readonly #owner: RunOwner;
  /** Made when it is read: most tasks never do, and it costs more than all the rest. */
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  constructor(frame: RunFrame, owner: RunOwner, startedAt: number) {
    this.#frame = frame;
    this.#owner = owner;
    this.startedAt = startedAt;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  get id(): number {
    return this.#frame.id;
  }

  get attempt(): number {
    return this.#frame.attempt;
  }

  get deadline(): number | undefined {
    return this.#frame.deadline;
  }

  get workerId(): number {
    return this.#owner.workerId;
  }

  get metadata(): Readonly<Record<string, string>> {
    return this.#frame.metadata ?? noMetadata;
  }

  get seq(): number {
    return this.#frame.seq;
  }

  get task(): string {
    return this.#frame.task;
  }

  progress(data: unknown): void {
    if (!this.settled) this.#owner.progress(this, data);
  }

  /** Tells the task that its answer is not wanted. Its outcome is still reported. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }
}
