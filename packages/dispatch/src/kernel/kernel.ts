import type { Transport } from '../contract/transport.ts';
import { prepare } from './broadcast.ts';
import { closed } from './errors.ts';
import type { ResolvedPoolOptions } from './options.ts';
import { createPoolState, type PoolEvent, type PoolState } from './state/pool-state.ts';
import { advance } from './steps/advance.ts';
import { failUnsent, readFrames } from './steps/frames.ts';
import { callOver, giveUp, giveUpAll, gracePassed, runLate } from './steps/give-up.ts';
import { recallCalls, stopRecall } from './steps/recall.ts';
import { flushAll } from './steps/send.ts';
import { checkHealth, checkIdle, killIfSilent, startChecks, stopChecks } from './steps/upkeep.ts';
import {
  admitWorker,
  closeWorkers,
  exited,
  kill,
  probe,
  restart,
  startedLate,
  startMissing,
} from './steps/workers.ts';

/** Creates a pool and starts its workers. */
export function createKernel(transport: Transport, options: ResolvedPoolOptions): PoolState {
  const pool = createPoolState(transport, options, receive);
  startMissing(pool);
  startChecks(pool);
  return pool;
}

/** Rejects every call, and resolves when every worker and timer is gone. */
export async function closeKernel(pool: PoolState, graceMs: number): Promise<void> {
  const { name, clock } = pool.options;
  stopChecks(pool);
  stopRecall(pool);
  clock.clearTimeout(pool.hold.close());
  pool.phase = 'closed';
  giveUpAll(pool, (task) => closed(name, task), 'rejected');
  advance(pool);
  flushAll(pool);
  pool.calls.watches.close();
  pool.polling.stop();
  await closeWorkers(pool, graceMs);
}

/** Takes no more calls; open calls go on. */
export function drainKernel(pool: PoolState): void {
  if (pool.phase === 'open') pool.phase = 'draining';
}

/** Applies an event, and does what must follow. */
function receive(pool: PoolState, event: PoolEvent): void {
  apply(pool, event);
  advance(pool);
  const { reported } = pool.changes;
  if (reported.length === 0) return;
  for (let worker = reported.shift(); worker !== undefined; worker = reported.shift()) {
    void prepare(pool, worker);
  }
}

function apply(pool: PoolState, event: PoolEvent): void {
  switch (event.kind) {
    case 'frames':
      readFrames(pool, event.worker, event.frames);
      break;
    case 'exit':
      exited(pool, event.worker, event.end);
      break;
    case 'unsent':
      failUnsent(pool, event.worker, event.unsent);
      break;
    case 'over':
      callOver(pool, event.call, event.over);
      break;
    case 'threw':
      giveUp(pool, event.call, event.error, 'failed');
      break;
    case 'run-late':
      runLate(pool, event.call);
      break;
    case 'grace':
      gracePassed(pool, event.call, event.grace);
      break;
    case 'start-late':
      startedLate(pool, event.worker);
      break;
    case 'stop-late':
      kill(event.worker);
      break;
    case 'silent':
      killIfSilent(pool, event.worker);
      break;
    case 'prepared':
      admitWorker(pool, event.worker);
      break;
    case 'restart':
      restart(pool, event.slot);
      break;
    case 'probe':
      probe(pool);
      break;
    case 'health':
      checkHealth(pool, event.isLate);
      break;
    case 'held-up':
      recallCalls(pool);
      break;
    case 'idle':
      checkIdle(pool);
      break;
    case 'linger':
      pool.hold.timeOver(pool.calls.active > 0);
  }
}
