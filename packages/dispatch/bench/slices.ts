/** One way to have a task run. */
export interface Contender {
  readonly name: string;
  /** Has one task run. */
  readonly run: () => Promise<unknown>;
}

/** What a contender did in a slice of time. */
export interface Slice {
  readonly perSecond: number;
  /** Microseconds of processor that this thread spent for a task. */
  readonly cpuUs: number;
}

/** What a contender did in all slices. */
export interface Measured {
  readonly name: string;
  /** Medians of the slices. */
  readonly perSecond: number;
  readonly cpuUs: number;
  /** Median of each round's ratio of tasks a second to the first contender's in the same round. */
  readonly ratio: number;
  /** Tasks a second of each round, for ratios to others. */
  readonly rounds: readonly number[];
}

/** How long to measure. */
export interface SliceOptions {
  readonly rounds: number;
  /** Milliseconds during which tasks are begun; all are waited for. */
  readonly sliceMs: number;
  /** Tasks in flight. */
  readonly inFlight: number;
}

/**
 * Measures contenders in slices of time and interleaved rounds, each round in the opposite order of the one before: what
 * else happens on the machine meets them all. A round before the first, three times as long, warms up.
 */
export async function measureSlices(
  contenders: readonly Contender[],
  options: SliceOptions,
): Promise<Measured[]> {
  const slices = new Map(contenders.map(({ name }) => [name, [] as Slice[]]));
  for (let round = -1; round < options.rounds; round++) {
    const sliceMs = round < 0 ? 3 * options.sliceMs : options.sliceMs;
    for (const { name, run } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      // What one has left is not swept at the cost of the next.
      globalThis.gc?.();
      const slice = await takeSlice(run, { ...options, sliceMs });
      if (round >= 0) slices.get(name)?.push(slice);
    }
  }
  const [first = []] = slices.values();
  return [...slices].map(([name, own]) => ({
    name,
    perSecond: median(own.map(({ perSecond }) => perSecond)),
    cpuUs: median(own.map(({ cpuUs }) => cpuUs)),
    ratio: median(own.map(({ perSecond }, round) => perSecond / (first[round]?.perSecond ?? 0))),
    rounds: own.map(({ perSecond }) => perSecond),
  }));
}

/** Keeps that many tasks in flight for that long, and waits for the last. */
export async function takeSlice(
  run: () => Promise<unknown>,
  { inFlight, sliceMs }: Omit<SliceOptions, 'rounds'>,
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
  return { perSecond: (tasks / elapsedMs) * 1000, cpuUs: (user + system) / tasks };
}

/** Median of each round's ratio of one contender to the best of some others in that round. */
export function ratioToBest(own: Measured, others: readonly Measured[]): number {
  return median(
    own.rounds.map(
      (perSecond, round) => perSecond / Math.max(...others.map(({ rounds }) => rounds[round] ?? 0)),
    ),
  );
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
