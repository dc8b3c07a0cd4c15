import type { MapOptions, RunOptions } from '../../contract/dispatcher.ts';
import type { Kernel } from '../kernel.ts';
import { closed } from './call-errors.ts';
import { checkMapOptions } from './check-run-options.ts';

/** What `map` needs of a dispatcher. */
interface MapTarget {
  run(task: string, input: unknown, options: RunOptions): Promise<unknown>;
  capacity(signal: AbortSignal): Promise<void>;
}

type Outcome = PromiseSettledResult<unknown>;

/** The inputs of `map`. */
export type MapInputs = Iterable<unknown> | AsyncIterable<unknown>;

/**
 * `map` of a dispatcher over a kernel: by default two tasks at a time per slot.
 *
 * @throws TypeError or RangeError for options
 */
export function mapBy(
  target: MapTarget,
  { options: { name }, pool }: Kernel,
  given: { readonly task: string; readonly inputs: MapInputs; readonly options: MapOptions },
): AsyncIterable<Outcome> {
  const { task, inputs, options } = given;
  checkMapOptions(options);
  const concurrency = options.concurrency ?? 2 * pool.slots.length;
  return mapTasks(target, { name, task, inputs }, { ...options, concurrency });
}

/**
 * Runs a task for each input, `concurrency` at most at a time. An outcome that is not taken counts as one of
 * these, so inputs are never read further ahead.
 */
async function* mapTasks(
  target: MapTarget,
  {
    name,
    task,
    inputs,
  }: { readonly name: string; readonly task: string; readonly inputs: MapInputs },
  options: MapOptions & { readonly concurrency: number },
): AsyncGenerator<Outcome, void, undefined> {
  const { concurrency, ordered = true, signal, ...rest } = options;
  const stop = new AbortController();
  const stopped = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const outcomes = new Outcomes(ordered);
  let wake = (): void => {};
  const reader = new InputReader(inputs, () => wake());
  stopped.addEventListener('abort', () => wake(), { once: true });

  async function run(input: unknown): Promise<unknown> {
    await target.capacity(stopped);
    return target.run(task, input, { ...rest, signal: stopped });
  }

  try {
    while (true) {
      while (!stopped.aborted && outcomes.size < concurrency) {
        const input = reader.next();
        if (input === undefined) break;
        outcomes.expect(run(input.value), () => wake());
      }
      const outcome = outcomes.take();
      if (outcome !== undefined) yield outcome;
      else if (outcomes.size === 0 && (!reader.isReading || stopped.aborted)) break;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    if (signal?.aborted && !reader.isDone) throw signal.reason;
    reader.throwIfFailed();
  } finally {
    stop.abort(closed(name, task));
    await reader.close();
    await outcomes.settled();
  }
}

/** Outcomes of calls, in the order of the calls or as they come. */
class Outcomes {
  readonly #isOrdered: boolean;
  readonly #calls = new Map<number, { outcome: Outcome | undefined; settled: Promise<void> }>();
  /** Places in the order in which they settled. */
  readonly #ready: number[] = [];
  #expected = 0;
  #taken = 0;

  constructor(isOrdered: boolean) {
    this.#isOrdered = isOrdered;
  }

  /** Calls whose outcome has not been taken. */
  get size(): number {
    return this.#calls.size;
  }

  expect(result: Promise<unknown>, onOutcome: () => void): void {
    const index = this.#expected++;
    const keep = (outcome: Outcome): void => {
      call.outcome = outcome;
      this.#ready.push(index);
      onOutcome();
    };
    const settled = result.then(
      (value) => keep({ status: 'fulfilled', value }),
      (reason) => keep({ status: 'rejected', reason }),
    );
    const call = { outcome: undefined as Outcome | undefined, settled };
    this.#calls.set(index, call);
  }

  /** The next outcome, if it is there. */
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

/** Reads inputs one at a time: at once from an iterable, when they come from an async one. */
class InputReader {
  isReading = false;
  isDone = false;
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown>;
  readonly #isAsync: boolean;
  readonly #onInput: () => void;
  #input: { readonly value: unknown } | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** @throws TypeError if the inputs cannot be iterated */
  constructor(inputs: Iterable<unknown> | AsyncIterable<unknown>, onInput: () => void) {
    const given = Object(inputs) as Partial<Iterable<unknown> & AsyncIterable<unknown>>;
    this.#isAsync = given[Symbol.asyncIterator] !== undefined;
    const iterator = given[Symbol.asyncIterator]?.() ?? given[Symbol.iterator]?.();
    if (iterator === undefined) {
      throw new TypeError(`Cannot map: iterable inputs expected, got ${typeof inputs}`);
    }
    this.#iterator = iterator;
    this.#onInput = onInput;
  }

  /** An input, if one is there; else `onInput` is called when there is, or at the end. */
  next(): { readonly value: unknown } | undefined {
    const input = this.#input;
    this.#input = undefined;
    if (input !== undefined || this.isDone || this.isReading) return input;
    if (this.#isAsync) void this.#read(this.#iterator as AsyncIterator<unknown>);
    else this.#take(() => (this.#iterator as Iterator<unknown>).next());
    const first = this.#input;
    this.#input = undefined;
    return first;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Ends the iterator, unless it has ended. One that is being waited for is told and left. */
  async close(): Promise<void> {
    if (this.isDone) return;
    this.isDone = true;
    const ended = Promise.resolve(this.#iterator.return?.());
    if (this.isReading) ended.catch(() => {});
    else await ended;
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
