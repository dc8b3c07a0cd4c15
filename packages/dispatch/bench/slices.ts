import { interleaved, median, medianRatio } from '@ticketing/bench-kit';

/** One way to have a task run. */
export interface Contender {
  readonly name: string;
  /** Has one task run. */
  readonly run: () => Promise<unknown>;
  /** Returns microseconds of processor that the thread of its worker has spent. Default: it has none. */
  readonly workerCpuUs?: (() => Promise<number>) | undefined;
}

/** Result of a contender in a slice of time. */
export interface Slice {
  readonly tasks: number;
  readonly perSecond: number;
  /** Microseconds of processor that this thread spent for a task. */
  readonly cpuUs: number;
}

/** Results of a contender in all slices. */
export interface Measured {
  readonly name: string;
  /** Medians of the slices. */
  readonly perSecond: number;
  readonly cpuUs: number;
  /** Processor time of the worker's thread, in the unit of `cpuUs`; 0 without one. */
  readonly workerCpuUs: number;
  /** Median of each round's ratio of tasks per second to the first contender's in the same round. */
  readonly ratio: number;
  /** Tasks per second of each round, for ratios to others. */
  readonly rounds: readonly number[];
}

/** Durations of the measurements. */
export interface SliceOptions {
  readonly rounds: number;
  /** Milliseconds during which tasks are begun; all are waited for. */
  readonly sliceMs: number;
  /** Tasks in flight. */
  readonly inFlight: number;
  /** Milliseconds of the round before the first, which warms up. Default: three times `sliceMs`. */
  readonly warmUpMs?: number | undefined;
}

/**
 * Measures contenders in slices of time and interleaved rounds. A longer round before the first warms up, and so does an
 * uncounted slice before each that counts.
 */
export async function measureSlices(
  contenders: readonly Contender[],
  options: SliceOptions,
): Promise<Measured[]> {
  const slices = contenders.map((): (Slice & { readonly workerCpuUs: number })[] => []);
  for (const { item, place, round } of interleaved(contenders, options)) {
    const { warmUpMs = 3 * options.sliceMs } = options;
    const sliceMs = round < 0 ? warmUpMs : options.sliceMs;
    // What one has left is not swept at the cost of the next. But such a collection throws compiled code away too, which those
    // of a program at work do not: the first tasks after it are not counted.
    globalThis.gc?.();
    if (round >= 0) await takeSlice(item.run, { ...options, sliceMs });
    const before = (await item.workerCpuUs?.()) ?? 0;
    const slice = await takeSlice(item.run, { ...options, sliceMs });
    const workerCpuUs = (((await item.workerCpuUs?.()) ?? 0) - before) / slice.tasks;
    if (round >= 0) slices[place]?.push({ ...slice, workerCpuUs });
  }
  const rates = slices.map((own) => own.map(({ perSecond }) => perSecond));
  const [first = []] = rates;
  return contenders.map(({ name }, place) => {
    const rounds = rates[place] ?? [];
    const own = slices[place] ?? [];
    return {
      name,
      perSecond: median(rounds),
      cpuUs: median(own.map(({ cpuUs }) => cpuUs)),
      workerCpuUs: median(own.map(({ workerCpuUs }) => workerCpuUs)),
      ratio: medianRatio(rounds, first),
      rounds,
    };
  });
}

/** Keeps that many tasks in flight for that long, and waits for the last. */
export async function takeSlice(
  run: () => Promise<unknown>,
  { inFlight, sliceMs }: Omit<SliceOptions, 'rounds' | 'warmUpMs'>,
): Promise<Slice> {
  let tasks = 0;
  const cpu = process.threadCpuUsage();
  const start = performance.now();
  const lane = async () => {
    do {
      await run();
      tasks += 1;
    } while (performance.now() - start < sliceMs);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const elapsedMs = performance.now() - start;
  const { user, system } = process.threadCpuUsage(cpu);
  return { tasks, perSecond: (tasks / elapsedMs) * 1000, cpuUs: (user + system) / tasks };
}

/** Median of each round's ratio of one contender to the best of some others in that round. */
export function ratioToBest(own: Measured, others: readonly Measured[]): number {
  const best = own.rounds.map((_, round) =>
    Math.max(...others.map(({ rounds }) => rounds[round] ?? 0)),
  );
  return medianRatio(own.rounds, best);
}
