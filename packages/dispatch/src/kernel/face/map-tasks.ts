import { wrongValue } from '@ticketing/kit';
import type { Dispatcher, MapOptions, MapOutcome } from '../../contract/dispatcher.ts';
import type { TaskMap } from '../../contract/task.ts';
import { DispatchError } from '../../errors.ts';
import { closed, draining } from '../errors.ts';

type Outcome = MapOutcome<unknown, unknown>;

/** The inputs of `map`. */
export type MapInputs = Iterable<unknown> | AsyncIterable<unknown>;

export interface MappedTask {
  readonly name: string;
  readonly task: string;
  readonly inputs: MapInputs;
  /** Name of the dispatcher whose open circuit refuses calls, if it is another. */
  readonly lastName?: string | undefined;
  /** Aborts when the dispatcher is drained or closed. */
  readonly ending: AbortSignal | undefined;
  /** Returns how many calls the workers hold at most, now. */
  mostNow(): number;
}

/**
 * Runs a task for each input, `concurrency` at most at a time, else what `mostNow` returns as workers come and go. An outcome
 * that the caller has not taken counts as one of these, so inputs are never read further ahead. Once the dispatcher takes no
 * calls of this task, no further input is read, and each that was is an outcome.
 *
 * @throws DispatchError for which no call is taken, after those outcomes
 */
export async function* mapTasks(
  dispatcher: Pick<Dispatcher<TaskMap>, 'run' | 'capacity' | 'state'>,
  mapped: MappedTask,
  options: MapOptions,
): AsyncGenerator<Outcome, void, undefined> {
  const { name, task, inputs, ending, mostNow } = mapped;
  const { concurrency, ordered = true, signal, ...rest } = options;
  const most = concurrency === undefined ? mostNow : () => concurrency;
  const stop = new AbortController();
  const stopped = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const outcomes = new Outcomes(ordered);
  let wake = (): void => {};
  let refusal: DispatchError | undefined;
  const reader = new InputReader(inputs, () => wake());
  const onEnd = (): void => wake();
  stopped.addEventListener('abort', onEnd, { once: true });
  ending?.addEventListener('abort', onEnd, { once: true });

  async function run(input: unknown): Promise<unknown> {
    try {
      await dispatcher.capacity(stopped);
      return await dispatcher.run(task, input, { ...rest, signal: stopped });
    } catch (error) {
      if (isRefusal(error, mapped)) refusal ??= error;
      throw error;
    }
  }

  try {
    while (true) {
      while (!stopped.aborted && outcomes.size < most()) {
        if (dispatcher.state === 'closed') refusal ??= closed(name, task);
        else if (dispatcher.state === 'draining') refusal ??= draining(name, task);
        const input = refusal === undefined ? reader.next() : reader.taken();
        if (input === undefined) break;
        const result = refusal === undefined ? run(input.value) : Promise.reject(refusal);
        outcomes.expect(input.value, result, () => wake());
      }
      const outcome = outcomes.take();
      if (outcome !== undefined) yield outcome;
      else if (outcomes.size === 0 && (!reader.isReading || stopped.aborted)) break;
      else {
        // Its consumer has every outcome so far, so a source that waits for an input may end now.
        if (refusal !== undefined && outcomes.size === 0) reader.end();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    if (signal?.aborted && !reader.isDone) throw signal.reason;
    reader.throwIfFailed();
    if (refusal !== undefined && !reader.isDone) throw refusal;
  } finally {
    ending?.removeEventListener('abort', onEnd);
    stop.abort(closed(name, task));
    await reader.close();
    await outcomes.settled();
  }
}

/** Returns true for the error of a dispatcher that refuses the next call too, until an operator or the program acts. */
function isRefusal(
  error: unknown,
  { name, lastName = name, task }: MappedTask,
): error is DispatchError {
  if (!DispatchError.is(error) || error.data.task !== task) return false;
  const { code, data } = error;
  // A worker reports it too, before the dispatcher knows its tasks.
  if (code === 'ERR_UNKNOWN_TASK') return true;
  return (code === 'ERR_CIRCUIT_OPEN' || code === 'ERR_NO_HOST') && data.name === lastName;
}

/** Outcomes of calls, in the order of the calls or as they come. */
class Outcomes {
  readonly #isOrdered: boolean;
  readonly #calls = new Map<number, { outcome: Outcome | undefined; settled: Promise<void> }>();
  /** Indexes in the order in which their calls settled. */
  readonly #ready: number[] = [];
  #expected = 0;
  #taken = 0;

  constructor(isOrdered: boolean) {
    this.#isOrdered = isOrdered;
  }

  /** Outcomes that have not been taken. */
  get size(): number {
    return this.#calls.size;
  }

  expect(input: unknown, result: Promise<unknown>, onOutcome: () => void): void {
    const index = this.#expected++;
    const keep = (settled: PromiseSettledResult<unknown>): void => {
      call.outcome = Object.assign(settled, { input, index });
      if (!this.#isOrdered) this.#ready.push(index);
      onOutcome();
    };
    const settled = result.then(
      (value) => keep({ status: 'fulfilled', value }),
      (reason) => keep({ status: 'rejected', reason }),
    );
    const call = { outcome: undefined as Outcome | undefined, settled };
    this.#calls.set(index, call);
  }

  /** Removes and returns the next outcome, if it is there. */
  take(): Outcome | undefined {
    const index = this.#isOrdered ? this.#taken : this.#ready.shift();
    const outcome = index === undefined ? undefined : this.#calls.get(index)?.outcome;
    if (index === undefined || outcome === undefined) return undefined;
    this.#calls.delete(index);
    this.#taken += 1;
    return outcome;
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#calls.values()].map(({ settled }) => settled));
  }
}

/** Reads inputs one at a time. */
class InputReader {
  isReading = false;
  isDone = false;
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown>;
  readonly #isAsync: boolean;
  readonly #onInput: () => void;
  #input: { readonly value: unknown } | undefined;
  #failure: { readonly error: unknown } | undefined;
  #ended: Promise<unknown> | undefined;

  /** @throws TypeError if the inputs cannot be iterated */
  constructor(inputs: Iterable<unknown> | AsyncIterable<unknown>, onInput: () => void) {
    const source = Object(inputs) as Partial<Iterable<unknown> & AsyncIterable<unknown>>;
    this.#isAsync = source[Symbol.asyncIterator] !== undefined;
    const iterator = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]?.();
    if (iterator === undefined) {
      throw wrongValue('map tasks', 'inputs', { expected: 'iterable' }, inputs);
    }
    this.#iterator = iterator;
    this.#onInput = onInput;
  }

  /** Returns an input, if one is there; else calls `onInput` when there is, or at the end. */
  next(): { readonly value: unknown } | undefined {
    if (this.#input === undefined && !this.isDone && !this.isReading) {
      if (this.#isAsync) void this.#read(this.#iterator as AsyncIterator<unknown>);
      else this.#take(() => (this.#iterator as Iterator<unknown>).next());
    }
    return this.taken();
  }

  /** Returns an input that has been read already. */
  taken(): { readonly value: unknown } | undefined {
    const input = this.#input;
    this.#input = undefined;
    return input;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Ends the iterator while it is being read, once: what it still gives is there to be taken. */
  end(): void {
    if (this.#ended !== undefined) return;
    this.#ended = (async () => this.#iterator.return?.())();
    this.#ended.catch(() => {});
  }

  /** Ends the iterator, unless it has ended. Does not wait for one that is being read. */
  async close(): Promise<void> {
    if (this.isDone) return;
    this.isDone = true;
    this.end();
    if (!this.isReading) await this.#ended;
  }

  async #read(iterator: AsyncIterator<unknown>): Promise<void> {
    this.isReading = true;
    try {
      const result = await iterator.next();
      this.#take(() => result);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.isReading = false;
      this.#onInput();
    }
  }

  #take(next: () => IteratorResult<unknown>): void {
    try {
      const result = next();
      if (result.done) this.isDone = true;
      else this.#input = { value: result.value };
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.isDone = true;
    this.#failure = { error };
  }
}
