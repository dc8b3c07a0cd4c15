import type { DispatcherState, DispatcherStats, WorkerStats } from '../../contract/stats.ts';
import { usualWaitMs } from '../policy/admit.ts';
import type { PoolWorker } from '../state/call.ts';
import type { PoolState } from '../state/pool-state.ts';

/** Returns the counts of a dispatcher, and the present state of its workers. */
export function statsOf(pool: PoolState, kind: string, state: DispatcherState): DispatcherStats {
  const { queue, calls, staff, options } = pool;
  const { wait, run, transport, ...counts } = calls.counts;
  const queued = queue.waiting.size;
  const now = options.clock.now();
  return {
    name: options.name,
    kind,
    state,
    queued,
    running: calls.active - queued,
    expectedWaitMs: usualWaitMs(queue, options.clock),
    ...counts,
    ...staff.counts,
    circuit: staff.circuit.state,
    workers: [...staff.live].map((worker) => workerStats(worker, now)),
    histograms: { wait: wait.summary(), run: run.summary(), transport: transport.summary() },
    buckets: { wait: wait.buckets(), run: run.buckets(), transport: transport.buckets() },
  };
}

function workerStats(worker: PoolWorker, now: number): WorkerStats {
  const { phase, handle, load, reports } = worker;
  return {
    workerId: worker.workerId,
    slot: worker.slot,
    pid: handle?.pid,
    threadId: handle?.threadId,
    state: phase === 'killed' || phase === 'gone' ? 'stopping' : phase,
    inFlight: worker.calls.size,
    window: worker.windowSize,
    done: load.done,
    ageMs: now - worker.bornAt,
    utilisation: utilisationOf(worker, now),
    memoryBytes: load.memoryBytes,
    heapBytes: load.heapBytes,
    report: reports.report,
    moduleReport: reports.moduleReport,
  };
}

/** A worker without calls sends no load frames: the time since the last one counts as idle. */
function utilisationOf({ load: { latest }, calls }: PoolWorker, now: number): number | undefined {
  if (latest === undefined) return undefined;
  const elapsedMs = latest.elapsedMs + (calls.size === 0 ? now - latest.at : 0);
  return elapsedMs > 0 ? Math.max(0, Math.min(1, latest.activeMs / elapsedMs)) : 0;
}
