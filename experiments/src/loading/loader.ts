import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
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
      const answer = once(child, 'message') as Promise<[LoadSample]>;
      const lost = exit.then(([code, signal]): never => {
        throw new Error(`Cannot make load: the loader exited with ${signal ?? code}`);
      });
      child.send(job);
      const [sample] = await Promise.race([answer, lost]);
      return sample;
    },
    async close() {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}
