import { type Profiler, Session } from 'node:inspector';

/**
 * Returns how many steps our own code makes: how often each of its functions is called, as V8 counts it. The same on every
 * machine, however busy it is. Blocks are not counted: V8 misses some of those of functions that it has compiled.
 *
 * @param isOurs whether the file of a URL counts
 */
export async function countSteps(
  run: () => void,
  isOurs: (url: string) => boolean,
): Promise<number> {
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
  try {
    await post('Profiler.enable');
    await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // What was counted before.
    await taken();
    run();
    const { result } = await taken();
    const calls = result
      .filter(({ url }) => isOurs(url))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    return calls.reduce((sum, { count }) => sum + count, 0);
  } finally {
    session.disconnect();
  }
}
