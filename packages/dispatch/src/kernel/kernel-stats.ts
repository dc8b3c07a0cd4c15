import type { DispatcherState } from '../contract/dispatcher.ts';
import type { DispatcherStats, WorkerStats } from '../contract/stats.ts';
import type { Kernel } from './kernel.ts';
import type { PoolWorker } from './workers/pool-worker.ts';

/** Returns what a dispatcher has counted, and what its workers are now. */
export function statsOf(kernel: Kernel, kind: string, state: DispatcherState): DispatcherStats {
  const { counts, pool, feeder, options } = kernel;
  const { wait, run, transport, ...calls } = counts;
  const now = options.clock.now();
  return {
    name: options.name,
    kind,
    state,
    queued: feeder.size,
    running: kernel.active - feeder.size,
    expectedWaitMs: feeder.expectedWaitMs,
    ...calls,
    ...pool.counts,
    circuit: pool.circuit.state,
    workers: [...pool.live].map((worker) => workerStats(worker, now)),
    histograms: { wait: wait.summary(), run: run.summary(), transport: transport.summary() },
    buckets: { wait: wait.buckets(), run: run.buckets(), transport: transport.buckets() },
  };
}

function workerStats(worker: PoolWorker, now: number): WorkerStats {
  return {
    workerId: worker.workerId,
    slot: worker.slot,
    pid: worker.handle?.pid,
    threadId: worker.handle?.threadId,
    state: worker.state === 'killed' || worker.state === 'gone' ? 'stopping' : worker.state,
    inFlight: worker.calls.size,
    window: worker.windowSize,
    done: worker.done,
    ageMs: now - worker.bornAt,
    utilisation: utilisationOf(worker, now),
    memoryBytes: worker.memoryBytes,
    heapBytes: worker.heapBytes,
    report: worker.report,
    moduleReport: worker.moduleReport,
  };
}

/** A worker without calls sends no load frames: the time since the last one counts as idle. */
function utilisationOf({ load, calls }: PoolWorker, now: number): number | undefined {
  if (load === undefined) return undefined;
  const elapsedMs = load.elapsedMs + (calls.size === 0 ? now - load.at : 0);
  return elapsedMs > 0 ? Math.max(0, Math.min(1, load.activeMs / elapsedMs)) : 0;
}
