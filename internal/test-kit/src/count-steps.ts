import { type Profiler, Session } from 'node:inspector';

/** Counts steps of code in this process, until it is closed. */
export interface StepCounter {
  /** Returns the steps of this process since the last count. */
  count(): Promise<number>;
  close(): void;
}

/**
 * Creates a counter of the steps that code makes: how often each of its functions is called, as V8 counts it. The same on every
 * machine, however busy it is. Blocks are not counted: V8 misses some blocks of functions that it has compiled.
 *
 * @param isCounted whether the file of a URL counts
 */
export async function createStepCounter(isCounted: (url: string) => boolean): Promise<StepCounter> {
  const session = new Session();
  session.connect();
  const post = <Result>(method: string, params?: object): Promise<Result> =>
    new Promise((resolve, reject) => {
      session.post(method, params, (error, result) => {
        if (error) reject(error);
        else resolve(result as Result);
      });
    });
  const taken = () => post<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage');
  await post('Profiler.enable');
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    async count() {
      const { result } = await taken();
      const calls = result
        .filter(({ url }) => isCounted(url))
        .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
      return calls.reduce((sum, { count }) => sum + count, 0);
    },
    close: () => session.disconnect(),
  };
}

/** Returns the steps of one run, and of what else this process does until it has settled. */
export async function countSteps(
  run: () => unknown,
  isOurs: (url: string) => boolean,
): Promise<number> {
  const [steps = 0] = await countStepsOfEach([run], isOurs);
  return steps;
}

/** Returns the steps of each run, one after the other. One counter for all: when it begins, V8 drops all compiled code. */
export async function countStepsOfEach(
  runs: readonly (() => unknown)[],
  isOurs: (url: string) => boolean,
): Promise<number[]> {
  const counter = await createStepCounter(isOurs);
  try {
    await counter.count();
    const steps: number[] = [];
    for (const run of runs) {
      await run();
      steps.push(await counter.count());
    }
    return steps;
  } finally {
    counter.close();
  }
}
