import {
  decodeFromWorker,
  OutputSink,
  postToWorker,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import type { ResolvedPiscinaOptions } from './piscina-options.ts';
import { threadExecArgv } from './thread-exec-argv.ts';
import { WorkerThread } from './worker-thread.ts';

/** Makes workers that are threads of piscina, and load the tasks of a module. */
export function createPiscinaTransport(module: URL, options: ResolvedPiscinaOptions): Transport {
  const { env, resourceLimits, workerUrl: entry } = options;
  const output = new OutputSink(options.output);
  const execArgv = threadExecArgv(process.execArgv, options.execArgv);
  return {
    kind: 'piscina',
    capabilities: { isolation: 'thread', hardKill: true, transfer: true },
    autoWindow: { first: 8, max: 64 },
    spawn: (worker, events) => spawn(worker, events),
    close: () => Promise.resolve(),
  };

  function spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle {
    const { href } = worker.module ?? module;
    const { workerId } = worker;
    const start = { entry, workerId, module: href, env, execArgv, resourceLimits };
    const thread = new WorkerThread(start, {
      message(message) {
        const frames = decodeFromWorker(message);
        if (frames !== undefined) events.frames(frames);
      },
      exit: (end) => events.exit(end),
    });
    // What Node does by itself is `inherit`, and has its thread wait.
    if (options.output !== 'inherit') thread.divert(output);
    return {
      pid: process.pid,
      send(frames) {
        const post = (message: unknown, transfer: ArrayBuffer[]) => thread.send(message, transfer);
        return postToWorker(frames, post, { transfers: true });
      },
      started: () => thread.started(),
      reclaim: (seqs) => thread.reclaim(seqs),
      kill: () => thread.kill(),
      hold: (alive) => thread.hold(alive),
    };
  }
}
