import { fork } from 'node:child_process';
import {
  createOrphanGuard,
  inheritedExecArgv,
  OutputSink,
  startWorker,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import type { ResolvedForkOptions } from './fork-options.ts';

/** Makes workers that are child processes, and load the tasks of a module. */
export function createForkTransport(module: URL, options: ResolvedForkOptions): Transport {
  const { env, workerUrl } = options;
  const guard = options.orphanGuard ? createOrphanGuard() : undefined;
  const output = new OutputSink(options.output);
  const execArgv = [...inheritedExecArgv(process.execArgv), ...options.execArgv];
  return {
    kind: 'fork',
    capabilities: { isolation: 'process', hardKill: true, transfer: false },
    autoWindow: { first: 8, max: 64 },
    spawn,
    close: () => guard?.close() ?? Promise.resolve(),
  };

  function spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle {
    const { workerId } = worker;
    const args = [String(workerId), (worker.module ?? module).href];
    const given = { ...(env && { env }), execArgv, serialization: 'advanced' } as const;
    return startWorker(
      { launch: (stdio) => fork(workerUrl, args, { ...given, stdio }), guard, workerId, output },
      events,
    );
  }
}
