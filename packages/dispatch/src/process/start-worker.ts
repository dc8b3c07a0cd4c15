import type { ToWorker } from '../contract/frames.ts';
import type { WorkerEvents, WorkerHandle } from '../contract/transport.ts';
import { decodeFromWorker } from '../wire/from-worker-codec.ts';
import { postToWorker } from '../wire/to-worker-codec.ts';
import { WorkerProcess, type WorkerProcessStart } from './worker-process.ts';

/**
 * Starts a process as a worker: frames go over its channel. `foreign` gets every other message.
 *
 * @throws what the platform throws when it cannot start a process
 */
export function startWorker(
  start: WorkerProcessStart,
  events: WorkerEvents,
  foreign: (message: unknown) => void = () => {},
): WorkerHandle {
  const child = new WorkerProcess(start, {
    message(message) {
      const frames = decodeFromWorker(message);
      if (frames === undefined) foreign(message);
      else events.frames(frames);
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
    reclaim: (seqs) => child.reclaim(seqs),
    kill: () => child.kill(),
    hold: (alive) => child.hold(alive),
  };
}

function highestSeq(frames: readonly ToWorker[]): number {
  const last = frames.findLast((frame) => frame.kind === 'run');
  return last?.seq ?? 0;
}
