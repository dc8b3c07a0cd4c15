import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface UnixWorker {
  readonly pid: number;
  readonly path: string;
}

/** Starts servers on unix sockets in a folder; they end with this process. */
export async function startUnixWorkers(folder: string, count: number): Promise<UnixWorker[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const path = join(folder, `${index}.sock`);
      const child = fork(new URL('unix-worker.ts', import.meta.url), [path]);
      await once(child, 'message');
      return { pid: child.pid ?? 0, path };
    }),
  );
}
