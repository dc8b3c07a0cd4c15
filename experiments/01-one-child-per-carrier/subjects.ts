import type { Answering } from '../src/loading/prove-equal.ts';
import { startCarriers } from '../src/programs/start-carriers.ts';
import { startDemo } from '../src/programs/start-demo.ts';
import type { Given } from '../src/results/experiment.ts';
import { DEMO_DISPATCHES, demoSubject, SUBJECTS } from './findings.ts';
import { WAY_NAMES } from './ways/way.ts';

const CALL_MS = 50;

/** Starts a server of each way, and the demo with each dispatcher; all ask the same carriers. */
export async function startSubjects(
  { programs }: Given,
  workers: number,
): Promise<{ readonly ways: readonly Answering[]; readonly demos: readonly Answering[] }> {
  const carriers = await startCarriers(programs, { latencyMs: CALL_MS });
  const server = new URL('ways/ways-server.ts', import.meta.url);
  const ways: Answering[] = [];
  for (const way of WAY_NAMES) {
    const { url } = await programs.start(server, ['--way', way, '--workers', String(workers)], {
      env: { CARRIERS_URL: carriers.url },
    });
    ways.push({ subject: SUBJECTS[way], url });
  }
  const demos: Answering[] = [];
  for (const dispatch of DEMO_DISPATCHES) {
    const flags = ['--dispatch', dispatch, '--coalesce', 'off', '--deadline-ms', '60000'];
    const count = dispatch === 'in-process' ? [] : ['--dispatch-workers', String(workers)];
    const { url } = await startDemo(programs, [...flags, ...count, '--carriers-url', carriers.url]);
    demos.push({ subject: demoSubject(dispatch), url });
  }
  return { ways, demos };
}
