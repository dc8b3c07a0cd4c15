import type { Answering } from '../src/loading/prove-equal.ts';
import { startCarriers } from '../src/programs/start-carriers.ts';
import { startDemo } from '../src/programs/start-demo.ts';
import type { MeasureContext } from '../src/results/experiment.ts';
import { DEMO_DISPATCHES, demoSubject, SUBJECTS } from './findings.ts';
import { WAY_NAMES } from './ways/way.ts';

const CALL_MS = 50;

/** Starts one server per way, and the demo with each dispatcher; all ask the same carriers. */
export async function startSubjects(
  { programs }: MeasureContext,
  workers: number,
): Promise<{ readonly ways: readonly Answering[]; readonly demos: readonly Answering[] }> {
  const carriers = await startCarriers(programs, { latencyMs: CALL_MS });
  const server = new URL('ways/ways-server.ts', import.meta.url);
  const ways = WAY_NAMES.map(async (way) => {
    const { url } = await programs.start(server, ['--way', way, '--workers', String(workers)], {
      env: { CARRIERS_URL: carriers.url },
    });
    return { subject: SUBJECTS[way], url };
  });
  const demos = DEMO_DISPATCHES.map(async (dispatch) => {
    const flags = ['--dispatch', dispatch, '--coalesce', 'off', '--deadline-ms', '60000'];
    const count = dispatch === 'in-process' ? [] : ['--dispatch-workers', String(workers)];
    const { url } = await startDemo(programs, [...flags, ...count, '--carriers-url', carriers.url]);
    return { subject: demoSubject(dispatch), url };
  });
  const [started, startedDemos] = await Promise.all([Promise.all(ways), Promise.all(demos)]);
  return { ways: started, demos: startedDemos };
}
