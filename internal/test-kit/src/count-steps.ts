import { Session } from 'node:inspector/promises';

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
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // What was counted before.
    await session.post('Profiler.takePreciseCoverage');
    run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const calls = result
      .filter(({ url }) => isOurs(url))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    return calls.reduce((sum, { count }) => sum + count, 0);
  } finally {
    session.disconnect();
  }
}
