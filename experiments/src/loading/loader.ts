import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nextMessage } from '@ticketing/bench-kit';
import type { LoadJob, LoadSample } from './load-job.ts';

/** Makes load, in its own process. */
export interface Loader {
  /** Runs one load; one at a time. @throws Error if the loader ends meanwhile */
  run(job: LoadJob): Promise<LoadSample>;
  close(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('loader-process.ts', import.meta.url));

export function startLoader(): Loader {
  const child = fork(PROGRAM, { execArgv: ['--conditions=@ticketing/source'] });
  const exit = once(child, 'exit');
  return {
    async run(job) {
      const answer = nextMessage<LoadSample>(child);
      child.send(job);
      return await answer;
    },
    async close() {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}
