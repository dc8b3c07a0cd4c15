import type { ChildProcess, StdioOptions } from 'node:child_process';
import cluster, { type ClusterSettings } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import {
  createOrphanGuard,
  type FromWorker,
  OutputSink,
  processWindow,
  slotVariable,
  startWorker,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import {
  inheritedExecArgv,
  inspectorOption,
  mallocVariables,
  opensInspector,
} from '@ticketing/kit';
import type { ResolvedClusterOptions } from './cluster-options.ts';
import { environmentOf } from './worker/worker-messages.ts';

/** Callbacks for a worker's process events, its frames, and its messages that the kernel does not know. */
export interface ProcessListener {
  started(workerId: number, child: ChildProcess): void;
  message(workerId: number, message: unknown): void;
  frames(workerId: number, frames: readonly FromWorker[]): void;
  ended(workerId: number): void;
}

/** Creates the transport over workers of node:cluster, which keep this process alive. */
export function createClusterTransport(
  options: ResolvedClusterOptions['cluster'],
  listener: ProcessListener,
): Transport {
  const guard = options.killWithParent ? createOrphanGuard() : undefined;
  const output = new OutputSink(options.output);
  const inspector = inspectorOption(process.execArgv);
  const execArgv = [...inheritedExecArgv(process.execArgv)];
  if (inspector !== undefined) execArgv.push(inspector);
  execArgv.push(...options.execArgv);
  const settings = {
    exec: fileURLToPath(options.entry),
    args: [...options.args],
    execArgv,
    // With 0 each worker gets a free port; by itself node:cluster adds a port that may be taken.
    ...(opensInspector(execArgv) && { inspectPort: 0 }),
    serialization: 'advanced',
  } satisfies ClusterSettings;
  return {
    kind: 'cluster',
    capabilities: { isolation: 'process', hardKill: true, transfer: false, streams: true },
    autoWindow: processWindow,
    extraFrames: ['report'],
    words: {
      started: options.connections === 'external' ? 'it served' : 'it listened',
      proof: 'its first answer',
      hint: '`entry` must call `clusterWorker`',
    },
    spawn,
    close: () => guard?.close() ?? Promise.resolve(),
  };

  function spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle {
    const { workerId, slot, workerData } = worker;
    const { connections, lameDuckMs, graceMs } = options;
    const module = worker.module?.href;
    const hasWorkerData = workerData !== undefined;
    const start = { workerId, slot, hasWorkerData, module, connections, lameDuckMs, graceMs };
    const env = {
      ...mallocVariables(options.env ?? process.env),
      ...(options.env && { ...without(process.env), ...options.env }),
      ...slotVariable(slot),
      ...environmentOf({ ...start, maxRequests: withJitter(options) }),
    };
    const launch = (stdio: StdioOptions): ChildProcess => {
      const child = forkWorker({ ...settings, stdio: stdio as ClusterSettings['stdio'] }, env);
      listener.started(workerId, child);
      return child;
    };
    const handle = startWorker(
      { launch, guard, workerId, slot, workerData, isInspected: opensInspector(execArgv), output },
      {
        frames(frames) {
          listener.frames(workerId, frames);
          events.frames(frames);
        },
        exit(end) {
          listener.ended(workerId);
          events.exit(end);
        },
      },
      (message) => listener.message(workerId, message),
    );
    // A server keeps this process alive, busy or not.
    return Object.assign(handle, { hold: () => {} });
  }
}

/** Forks a worker, and restores the settings that other users of node:cluster have made. */
function forkWorker(
  settings: ClusterSettings,
  env: Readonly<Record<string, string | undefined>>,
): ChildProcess {
  const before = { ...plainSettings(), ...cluster.settings };
  cluster.setupPrimary({ ...plainSettings(), ...settings });
  try {
    const worker = cluster.fork(env);
    // A connection that cannot be sent is an `error` of the worker, whose end follows.
    worker.on('error', () => {});
    return worker.process;
  } finally {
    cluster.setupPrimary(before);
  }
}

/** Returns the default settings of node:cluster. */
function plainSettings(): ClusterSettings {
  return {
    exec: process.argv[1],
    args: process.argv.slice(2),
    execArgv: process.execArgv,
    silent: false,
    cwd: undefined,
    serialization: undefined,
    stdio: undefined,
    uid: undefined,
    gid: undefined,
    inspectPort: undefined,
    windowsHide: undefined,
  } as ClusterSettings;
}

/** Returns `undefined` for each variable, which removes it: node:cluster starts from the environment of this process. */
function without(environment: NodeJS.ProcessEnv): Record<string, undefined> {
  return Object.fromEntries(Object.keys(environment).map((name) => [name, undefined]));
}

function withJitter({
  maxRequests,
  jitter,
}: ResolvedClusterOptions['cluster']): number | undefined {
  if (maxRequests === undefined) return undefined;
  return Math.max(1, Math.round(maxRequests * (1 - jitter * Math.random())));
}
