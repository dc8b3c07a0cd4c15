import type { MapOptions, RunOptions } from '../contract/run-options.ts';
import { closed } from './call-errors.ts';
import { checkMapOptions } from './check-run-options.ts';
import { InputReader } from './input-reader.ts';
import type { Kernel } from './kernel.ts';

/** What `map` needs of a dispatcher. */
interface MapTarget {
  run(task: string, input: unknown, options: RunOptions): Promise<unknown>;
  capacity(signal: AbortSignal): Promise<void>;
}

type Outcome = PromiseSettledResult<unknown>;

/** The inputs of `map`. */
export type MapInputs = Iterable<unknown> | AsyncIterable<unknown>;

/**
 * `map` of a dispatcher over a kernel: by default two tasks at a time for each place of a worker.
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
 * Runs a task for each input, `concurrency` at most at a time. An outcome that nobody has taken counts as one of
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
    const place = this.#expected++;
    const keep = (outcome: Outcome): void => {
      call.outcome = outcome;
      this.#ready.push(place);
      onOutcome();
    };
    const settled = result.then(
      (value) => keep({ status: 'fulfilled', value }),
      (reason) => keep({ status: 'rejected', reason }),
    );
    const call = { outcome: undefined as Outcome | undefined, settled };
    this.#calls.set(place, call);
  }

  /** The next outcome, if it is there. */
  take(): Outcome | undefined {
    const place = this.#isOrdered ? this.#taken : this.#ready.shift();
    const outcome = place === undefined ? undefined : this.#calls.get(place)?.outcome;
    if (place === undefined || outcome === undefined) return undefined;
    this.#calls.delete(place);
    this.#taken += 1;
    return outcome;
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#calls.values()].map(({ settled }) => settled));
  }
}
