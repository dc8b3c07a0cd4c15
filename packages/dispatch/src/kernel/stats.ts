import type { DispatcherState } from '../contract/dispatcher.ts';
import type { DispatcherStats, WorkerStats } from '../contract/dispatcher-stats.ts';
import type { PoolWorker, PoolWorkerState } from './calls/call.ts';
import type { Kernel } from './kernel.ts';

/** What a dispatcher counts. */
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
    expectedWaitMs: kernel.admission.expectedWaitMs(),
    ...calls,
    ...pool.counts,
    circuit: pool.circuit.state,
    workers: [...pool.live].map((worker) => workerStats(worker, now)),
    histograms: { wait: wait.summary(), run: run.summary(), transport: transport.summary() },
  };
}

function workerStats(worker: PoolWorker, now: number): WorkerStats {
  return {
    workerId: worker.workerId,
    slot: worker.slot,
    pid: worker.handle?.pid,
    state: shown(worker.state),
    inFlight: worker.calls.size,
    window: worker.window.size,
    done: worker.done,
    ageMs: now - worker.bornAt,
    memoryBytes: worker.memoryBytes,
    report: worker.report,
  };
}

function shown(state: PoolWorkerState): WorkerStats['state'] {
  return state === 'killed' || state === 'gone' ? 'stopping' : state;
}
