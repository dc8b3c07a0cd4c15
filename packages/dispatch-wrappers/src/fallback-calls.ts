import {
  type CapacityOptions,
  type CloseOptions,
  checkCloseOptions,
  checkDrainOptions,
  DispatchError,
  type DispatcherState,
  type DispatcherStats,
  type DrainOptions,
  type DrainReport,
  type RunOptions,
} from '@ticketing/dispatch';
import type { Clock } from '@ticketing/kit';
import { FallbackRoom, nextImmediate } from './fallback-room.ts';
import type { UntypedDispatcher } from './wrap-dispatcher.ts';
import {
  areOptions,
  asMoved,
  type Endings,
  endingOf,
  noEndings,
  since,
  withTimeLeft,
} from './wrapped-calls.ts';
import { wrappersChannel } from './wrappers-channel.ts';

const fallbackChannel = wrappersChannel('ticketing:dispatch:fallback');

/** Calls of the fallback. */
export interface FallbackStats {
  /** Calls that the fallback has now, and calls that it was given so far. */
  readonly inFlight: number;
  readonly ran: number;
  /** Calls that met `maxInFlight`. */
  readonly refused: number;
}

interface FallbackSettings {
  readonly maxInFlight: number;
  readonly clock: Clock;
}

/** A call that the first dispatcher could not send. */
interface UnsentCall {
  readonly task: string;
  readonly input: unknown;
  readonly options: RunOptions;
  readonly elapsedMs: number;
  /** Error of the first dispatcher. */
  readonly cause: DispatchError;
}

/** Calls of one wrapper, in the first dispatcher or in the local one. */
export class FallbackCalls {
  readonly first: UntypedDispatcher;
  readonly local: UntypedDispatcher;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #localName: string;
  /** Calls that ran in the local dispatcher, or could not. */
  readonly #endings: Endings = noEndings();
  readonly #room: FallbackRoom;
  #ran = 0;
  #refused = 0;
  /** Calls that the first dispatcher rejected and that did not end by that. */
  #taken = 0;
  #draining: Promise<DrainReport> | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    first: UntypedDispatcher,
    local: UntypedDispatcher,
    { maxInFlight, clock }: FallbackSettings,
  ) {
    this.first = first;
    this.local = local;
    this.#clock = clock;
    this.#name = first.stats().name;
    this.#localName = local.stats().name;
    this.#room = new FallbackRoom(maxInFlight, this.#name);
  }

  get state(): DispatcherState {
    if (this.#closing !== undefined) return 'closed';
    return this.#draining === undefined ? this.first.state : 'draining';
  }

  async run(task: string, input: unknown, options: RunOptions | undefined): Promise<unknown> {
    const elapsedMs = since(this.#clock);
    const arrived = this.#room.coming();
    const onWorker = (workerId: number): void => {
      this.#room.up();
      options?.onWorker?.(workerId);
    };
    let cause: DispatchError | undefined;
    const onNoWorker = (error: DispatchError): void => {
      cause = error;
    };
    try {
      // The dispatcher refuses options that are none.
      const isNoted = options === undefined || (areOptions(options) && canNote(options));
      // A call apart from a worker knows the workers of the first dispatcher, so it stays there.
      const leaves = options?.apartFrom === undefined && { onNoWorker };
      const noted = isNoted ? { ...options, onWorker, ...leaves } : options;
      return await this.first.run(task, input, noted);
    } catch (error) {
      // The code of an error is not enough: a task may throw that of a dispatcher of its own.
      if (cause === undefined) throw error;
    } finally {
      arrived();
    }
    const { onWorker: _, ...own } = options ?? {};
    return await this.#runHere({ task, input, options: own, elapsedMs: elapsedMs(), cause });
  }

  async capacity(
    signal: AbortSignal | undefined,
    options: CapacityOptions | undefined,
  ): Promise<void> {
    await this.first.capacity(signal, options);
    await this.#room.wait(signal);
  }

  stats(): DispatcherStats & { readonly fallback: FallbackStats } {
    const first = this.first.stats();
    const { completed, failed, aborted, rejected } = this.#endings;
    const { inFlight } = this.#room;
    return {
      ...first,
      state: this.state,
      running: first.running + inFlight,
      completed: first.completed + completed,
      failed: first.failed + failed,
      aborted: first.aborted + aborted,
      rejected: first.rejected - this.#taken + rejected,
      fallback: { inFlight, ran: this.#ran, refused: this.#refused },
    };
  }

  drain(options: DrainOptions = {}): Promise<DrainReport> {
    try {
      checkDrainOptions(options);
    } catch (error) {
      return Promise.reject(error);
    }
    this.#draining ??= this.#drain(options);
    return this.#draining;
  }

  close(options: CloseOptions = {}): Promise<void> {
    try {
      checkCloseOptions(options);
    } catch (error) {
      return Promise.reject(error);
    }
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #runHere({ task, input, options, elapsedMs, cause }: UnsentCall): Promise<unknown> {
    const room = this.#room;
    this.#taken += 1;
    const hasRoom = room.take();
    let by = this.#name;
    let left = options;
    try {
      if (!hasRoom) throw this.#full(task, cause);
      left = withTimeLeft(options, elapsedMs, { name: by, task });
      this.#ran += 1;
      if (fallbackChannel.hasSubscribers) {
        fallbackChannel.publish({ name: by, task, error: cause, inFlight: room.inFlight });
      }
      by = this.#localName;
      const value = await this.local.run(task, input, left);
      this.#endings.completed += 1;
      return value;
    } catch (error) {
      this.#endings[endingOf(error, by, options.signal)] += 1;
      throw asMoved(error, { name: by, task, options, left, cause });
    } finally {
      if (hasRoom) room.free();
    }
  }

  #full(task: string, cause: unknown): DispatchError {
    this.#refused += 1;
    const limit = this.#room.maxInFlight;
    const message = `Fallback is full: \`maxInFlight\` (${limit}) calls run`;
    return new DispatchError('ERR_QUEUE_FULL', message, {
      data: { name: this.#name, task, limit },
      cause,
    });
  }

  async #drain(options: DrainOptions): Promise<DrainReport> {
    const room = this.#room;
    const before = { inFlight: room.inFlight, answered: this.#answered };
    const elapsedMs = since(this.#clock);
    const first = await this.first.drain(options);
    // Calls that the first one gave up came here: only now is it known which.
    await new Promise((resolve) => nextImmediate(resolve));
    const { timeoutMs } = options;
    const left = timeoutMs === undefined ? {} : { timeoutMs: Math.max(1, timeoutMs - elapsedMs()) };
    await this.local.drain(left);
    await room.whenEmpty();
    const completed = first.completed + this.#answered - before.answered;
    return { completed, aborted: first.completed + first.aborted + before.inFlight - completed };
  }

  /** Calls that `local` has answered, with a value or an error. */
  get #answered(): number {
    return this.#endings.completed + this.#endings.failed;
  }

  async #close(options: CloseOptions): Promise<void> {
    this.#room.close();
    await Promise.all([this.first.close(options), this.local.close(options)]);
  }
}

/** True if the dispatcher itself had no worker for the call, and expects none soon. */
export function isUnavailable(error: unknown): boolean {
  return (
    DispatchError.is(error) && (error.code === 'ERR_CIRCUIT_OPEN' || error.code === 'ERR_NO_HOST')
  );
}

function canNote({ onWorker, onNoWorker }: RunOptions): boolean {
  return [onWorker, onNoWorker].every((each) => each === undefined || typeof each === 'function');
}
