import {
  decodeFromWorker,
  postToWorker,
  type ToWorker,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import type { ResolvedForkOptions } from './fork-options.ts';
import { inheritedExecArgv } from './inherited-exec-argv.ts';
import { createOrphanGuard } from './orphan-guard.ts';
import { WorkerProcess } from './worker-process.ts';

/** Makes workers that are child processes, and load the tasks of a module. */
export function createForkTransport(module: URL, options: ResolvedForkOptions): Transport {
  // Windows has no such shell; idle workers see there, too, that their channel has closed.
  const guard =
    options.orphanGuard && process.platform !== 'win32' ? createOrphanGuard() : undefined;
  const execArgv = [...inheritedExecArgv(process.execArgv), ...options.execArgv];
  return {
    kind: 'fork',
    capabilities: { isolation: 'process', hardKill: true, transfer: false },
    autoWindow: { first: 8, max: 64 },
    spawn: (worker, events) => spawn(worker, events),
    close: () => guard?.close() ?? Promise.resolve(),
  };

  function spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle {
    const args = [String(worker.workerId), (worker.module ?? module).href];
    const start = { entry: options.workerUrl, args, env: options.env, execArgv, guard };
    const child = new WorkerProcess(start, {
      message(message) {
        const frames = decodeFromWorker(message);
        if (frames !== undefined) events.frames(frames);
      },
      exit: (end) => events.exit(end),
    });
    return {
      pid: child.pid,
      send(frames) {
        const seq = highestSeq(frames);
        return postToWorker(frames, (message) => child.send(message, seq), { transfers: false });
      },
      started: () => child.started(),
      kill: () => child.kill(),
      hold: (alive) => child.hold(alive),
    };
  }
}

function highestSeq(frames: readonly ToWorker[]): number {
  const last = frames.findLast((frame) => frame.kind === 'run');
  return last?.seq ?? 0;
}
