import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import { EventEmitter } from 'node:events';
import type {
  BroadcastOptions,
  BroadcastOutcome,
  CloseOptions,
  Dispatcher,
  DispatcherState,
  InputOf,
  OutputOf,
  ReloadOptions,
  TaskMap,
  TaskSource,
  TasksOf,
} from '@ticketing/dispatch';
import { systemClock } from '@ticketing/dispatch';
import { createPool, type ObservedWorker, type Pool } from '@ticketing/dispatch/transport';
import { between, checkByRules, MAX_TIMER_MS, unknownOption } from '@ticketing/kit';
import { publishReports } from './cluster-channels.ts';
import {
  type ClusterOptions,
  type ResolvedClusterOptions,
  resolveClusterOptions,
} from './cluster-options.ts';
import { createClusterTransport } from './cluster-transport.ts';
import { isMessage } from './is-message.ts';
import { HeldPorts } from './port/held-ports.ts';
import { isToPrimary } from './primary/primary-messages.ts';
import { type Peer, PrimarySessions } from './primary/primary-sessions.ts';
import { Signals } from './signals.ts';
import type {
  ClusterEvents,
  ClusterStats,
  ServingWorker,
  SupervisedWorker,
  Supervisor,
} from './supervisor.ts';
import { reloadOnChange } from './watch/reload-on-change.ts';
import type { FileWatch } from './watch/watch-files.ts';
import {
  emptyReport,
  type LeaveMessage,
  leave,
  left,
  terminated,
  type WorkerReport,
} from './worker/worker-messages.ts';

/** Milliseconds in which waiting connections can be claimed when the cluster closes. */
const CLAIM_WAITING_MS = 1000;

/** A pool whose workers serve HTTP. */
export class ClusterSupervisor implements Supervisor {
  readonly events: EventEmitter<ClusterEvents> = new EventEmitter();
  readonly connections: 'shared' | 'external';
  readonly #pool: Pool<TaskMap>;
  readonly #processes = new Map<number, ChildProcess>();
  readonly #ports: HeldPorts;
  readonly #sessions: PrimarySessions;
  readonly #signals: Signals | undefined;
  readonly #watch: FileWatch | undefined;
  /** Milliseconds until workers that are asked to end are killed. */
  readonly #graceMs: number;
  /** Keeps this process alive while it has neither a worker nor a port, for instance while the circuit is open. */
  readonly #hold: NodeJS.Timeout;
  #departure: Departure | undefined;
  #closing: Promise<void> | undefined;
  /** Settles with the reload that is in progress. */
  #reloading: Promise<void> | undefined;
  /** Requests that ended workers served. */
  #pastRequests = 0;

  constructor({ pool, cluster }: ResolvedClusterOptions) {
    // First, because it may throw.
    if (cluster.watch.length > 0) {
      this.#watch = reloadOnChange(this, cluster.watch, {
        clock: pool.clock ?? systemClock,
        reloading: () => this.#reloading,
      });
    }
    this.#graceMs = cluster.graceMs;
    this.connections = cluster.connections;
    this.#sessions = new PrimarySessions(cluster.primaryTasks);
    this.#ports = new HeldPorts({
      name: pool.name,
      policy: cluster.schedulingPolicy,
      maxWaiting: cluster.maxWaiting,
      waitMs: cluster.maxWaitMs,
      claimTimeoutMs: cluster.claimTimeoutMs,
    });
    const transport = createClusterTransport(cluster, {
      started: (workerId, child) => {
        this.#processes.set(workerId, child);
        this.#ports.watch(workerId, child);
      },
      frames: (workerId, frames) => publishReports({ name: pool.name, workerId }, frames),
      message: (workerId, message) => {
        if (isMessage(message, left)) this.#departure?.left(workerId);
        else if (isMessage(message, terminated)) this.#terminated(workerId);
        else if (isToPrimary(message)) this.#sessions.receive(this.#peer(workerId), message);
      },
      ended: (workerId) => {
        this.#ports.drop(workerId);
        this.#sessions.drop(workerId);
        this.#departure?.left(workerId);
        this.#processes.delete(workerId);
      },
    });
    this.#pool = createPool(transport, pool);
    this.#pool.observe({
      ready: ({ workerId, slot, pid }) => {
        this.#departure?.join(this.#peer(workerId));
        for (const worker of this.#pool.dispatcher.stats().workers) {
          if (worker.slot === slot && worker.workerId !== workerId)
            this.#ports.retire(worker.workerId);
        }
        this.events.emit('worker-ready', { workerId, slot, pid });
      },
      exit: (worker, { exitCode, signal, stderrTail }) => {
        const { workerId, slot, pid } = worker;
        this.#pastRequests += reportOf(worker).requests;
        this.events.emit('worker-exit', { workerId, slot, pid, exitCode, signal, stderrTail });
      },
      circuitOpen: (error) => this.events.emit('circuit-open', { error }),
    });
    if (cluster.signals) this.#signals = new Signals(this);
    this.#hold = setInterval(() => {}, MAX_TIMER_MS);
  }

  get state(): DispatcherState {
    const { state } = this.#pool.dispatcher;
    return this.#departure === undefined || state === 'closed' ? state : 'draining';
  }

  get workers(): readonly SupervisedWorker[] {
    return this.stats().workers;
  }

  async ready(): Promise<void> {
    try {
      await this.#pool.dispatcher.ready();
    } catch (error) {
      // The one who closes during the start expects it: a rejection would end the program with a stack trace.
      if (this.#closing === undefined) throw error;
    }
  }

  reload(options: Pick<ReloadOptions, 'parallel'> = {}): Promise<void> {
    // `module` is an option of dispatchers only.
    if (Object.hasOwn(Object(options), 'module')) {
      return Promise.reject(unknownOption('reload', 'module', ['parallel']));
    }
    const reloading = this.#pool.dispatcher.reload(options);
    const ended = (): void => {
      if (this.#reloading === settled) this.#reloading = undefined;
    };
    const settled = reloading.then(ended, ended);
    this.#reloading = settled;
    return reloading;
  }

  scale(workers: number): Promise<void> {
    return this.#pool.scale(workers);
  }

  stats(): ClusterStats {
    const dispatcher = this.#pool.dispatcher.stats();
    const workers = dispatcher.workers.map((worker) => {
      const { workerId, slot, pid, state, ageMs, memoryBytes } = worker;
      const known = { workerId, slot, pid, state, ageMs, memoryBytes };
      return { ...known, ...reportOf(worker), process: this.#processes.get(workerId) };
    });
    const sum = (numberOf: (worker: SupervisedWorker) => number): number =>
      workers.reduce((total, worker) => total + numberOf(worker), 0);
    return {
      name: dispatcher.name,
      state: this.state,
      requests: this.#pastRequests + sum(({ requests }) => requests),
      inFlight: sum(({ inFlight }) => inFlight),
      connections: sum(({ connections }) => connections),
      ...this.#ports.stats(),
      memoryBytes: sum(({ memoryBytes }) => memoryBytes ?? 0),
      workers,
      dispatcher,
    };
  }

  broadcast<M extends TaskMap, K extends keyof M & string>(
    task: K,
    input: InputOf<M, K>,
    options?: BroadcastOptions,
  ): Promise<BroadcastOutcome<OutputOf<M, K>>[]> {
    return (this.#pool as unknown as Pool<M>).dispatcher.broadcast(task, input, options);
  }

  dispatcher<M extends TaskMap>(): Dispatcher<M>;
  dispatcher<S extends TaskSource>(): Dispatcher<TasksOf<S>>;
  dispatcher(): Dispatcher<TaskMap> {
    return this.#pool.lend();
  }

  subscribe(listener: (worker: ServingWorker) => void): () => void {
    const tell = ({ workerId, slot, pid }: ClusterEvents['worker-ready'][0]): void => {
      const channel = this.#processes.get(workerId);
      if (!channel?.connected) return;
      const attached = this.workers.some((one) => one.workerId === workerId && one.attached);
      listener({ slot: String(slot), pid, channel, attached });
    };
    for (const worker of this.workers) if (worker.state === 'ready') tell(worker);
    this.events.on('worker-ready', tell);
    return () => this.events.off('worker-ready', tell);
  }

  replace({ pid }: Pick<ServingWorker, 'pid'>): void {
    const worker = this.workers.find((one) => one.pid === pid);
    if (worker !== undefined) this.#pool.recycle(worker.workerId);
  }

  async close(options: CloseOptions = {}): Promise<void> {
    checkByRules('close', options, { graceMs: between(0, MAX_TIMER_MS) });
    this.#closing ??= this.#close(options);
    await this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Ends the servers first: their requests may need tasks that other workers run. */
  async #close({ graceMs = this.#graceMs }: CloseOptions): Promise<void> {
    const until = performance.now() + graceMs;
    const leftMs = (): number => Math.max(0, until - performance.now());
    this.#departure = new Departure(leftMs);
    this.#watch?.close();
    try {
      // Waiting connections are served before that, if there is a worker for them.
      await this.#ports.close(Math.min(graceMs / 2, CLAIM_WAITING_MS));
      const serving = this.#pool.dispatcher
        .stats()
        .workers.filter(({ state, report }) => state !== 'stopping' && report !== undefined);
      await this.#departure.begin(serving.map(({ workerId }) => this.#peer(workerId)));
      await this.#pool.dispatcher.close({ graceMs: leftMs() });
      await this.#sessions.close();
    } finally {
      this.#signals?.remove();
      clearInterval(this.#hold);
    }
  }

  /** Replaces a worker that got SIGTERM, unless the same signal closes the cluster: this process may see it one turn of the event loop later. */
  #terminated(workerId: number): void {
    const recycle = (): void => {
      if (this.#closing === undefined) this.#pool.recycle(workerId);
    };
    setImmediate(() => setImmediate(recycle));
  }

  #peer(workerId: number): Peer {
    return {
      workerId,
      send: (message) => this.#processes.get(workerId)?.send(message, () => {}),
    };
  }
}

function reportOf({ report }: Pick<ObservedWorker, 'report'>): WorkerReport {
  return (report as WorkerReport | undefined) ?? emptyReport;
}

/**
 * Starts the program of `entry` in workers of node:cluster and supervises them: replaces workers that end, hang or grow,
 * and opens a circuit when they fail repeatedly. The cluster keeps the process alive until `close()`, which the caller must call
 * unless `signals` do.
 *
 * @throws TypeError or RangeError for options, and in a process that is a worker of node:cluster itself
 * @example
 * const supervisor = startCluster({ entry: new URL('./server.js', import.meta.url), signals: true });
 * await supervisor.ready();
 */
export function startCluster(options: ClusterOptions): Supervisor {
  const resolved = resolveClusterOptions('start cluster', options);
  if (!cluster.isPrimary) {
    throw new TypeError('Cannot start cluster: this process is itself a worker of node:cluster');
  }
  setSchedulingPolicy(resolved.cluster.schedulingPolicy);
  return new ClusterSupervisor(resolved);
}

/**
 * Sets the scheduling policy of node:cluster, which is fixed from the first worker of the process on.
 *
 * @throws TypeError if the process has the other policy
 */
function setSchedulingPolicy(policy: 'round-robin' | 'shared'): void {
  const wanted = policy === 'shared' ? cluster.SCHED_NONE : cluster.SCHED_RR;
  const isFixed = Object.keys(cluster.settings).length > 0;
  if (!isFixed) cluster.schedulingPolicy = wanted;
  else if (cluster.schedulingPolicy !== wanted) {
    const fixed = policy === 'shared' ? 'round-robin' : 'shared';
    throw new TypeError(
      `Cannot start cluster: \`schedulingPolicy\` must be ${fixed}, which workers of this process have, got ${policy}`,
    );
  }
}

/**
 * Ends all servers of a cluster while tasks continue: requests in flight may need tasks that other workers run.
 */
class Departure {
  readonly #pending = new Set<number>();
  readonly #leftMs: () => number;
  #end: () => void = () => {};

  /** Creates a departure that has `leftMs()` milliseconds of the grace left. */
  constructor(leftMs: () => number) {
    this.#leftMs = leftMs;
  }

  /** Asks these workers to leave. Resolves when all have left, or the grace ends. */
  async begin(workers: readonly Peer[]): Promise<void> {
    for (const worker of workers) this.join(worker);
    if (this.#pending.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#end = resolve;
      timer = setTimeout(resolve, this.#leftMs());
    });
    clearTimeout(timer);
  }

  /** Asks one more worker to leave. */
  join({ workerId, send }: Peer): void {
    this.#pending.add(workerId);
    send({ ...leave, graceMs: this.#leftMs() } satisfies LeaveMessage);
  }

  /** Notes that a worker has left or ended. */
  left(workerId: number): void {
    if (this.#pending.delete(workerId) && this.#pending.size === 0) this.#end();
  }
}
