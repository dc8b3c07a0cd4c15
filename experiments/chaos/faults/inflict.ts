import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PlanPatch } from '@ticketing/carrier-sim';
import { useOf } from '../world/processes.ts';
import type { Restartable, World } from '../world/world.ts';
import type { PlannedFault } from './fault.ts';

/** A fault that lasts. */
export interface Inflicted {
  /** What was hit, for the log. */
  readonly detail: string;
  /** Ends the fault. */
  heal(): Promise<void>;
}

const run = promisify(execFile);
const CORES_BURNT = 2;
/** Longer than the simulator is ever stopped. */
const PLAN_MS = 30_000;
/** Descriptors that a process may open beyond the open ones. */
const SPARE_DESCRIPTORS = 2;
const FILLED = 'chaos-fill';
const PIECE = Buffer.alloc(1024 * 1024, 'x');
const NOTHING: Inflicted = { detail: 'nothing lives there', async heal() {} };
const HEALTHY: PlanPatch = { fault: null, capacity: null };

/** Inflicts a fault on a world; resolves when it has begun. */
export async function inflict(
  planned: PlannedFault,
  world: World,
  latencyMs: number,
): Promise<Inflicted> {
  const { name, carrier, plan } = planned;
  switch (name) {
    case 'carrier fault':
    case 'carrier slow':
    case 'carrier full': {
      if (carrier === undefined || plan === undefined) return NOTHING;
      await setPlan(world, carrier, plan);
      const latency = { kind: 'fixed', ms: latencyMs } as const;
      return {
        detail: `${carrier} ${JSON.stringify(plan)}`,
        heal: () => setPlan(world, carrier, { ...HEALTHY, latency }),
      };
    }
    case 'Redis flushed':
      return await flush(world);
    case 'cores burnt':
      return burn();
    case '/dev/shm full':
      return fillMemory(world);
    case 'descriptors short':
      return await shortenDescriptors(planned, world);
    default:
      return await signalPart(planned, world, name);
  }
}

/** Sets the plan of a carrier; waits for a simulator that is stopped. One that is killed has no plan, and its successor is healthy. */
async function setPlan({ carriersUrl }: World, carrier: string, plan: PlanPatch): Promise<void> {
  const body = JSON.stringify(plan);
  const signal = AbortSignal.timeout(PLAN_MS);
  const answer = await fetch(`${carriersUrl}/plan/${carrier}`, {
    method: 'PUT',
    body,
    signal,
  }).catch((error) => {
    if (error.name === 'TimeoutError') throw error;
  });
  if (answer?.ok === false) throw new Error(`Cannot plan ${carrier}: ${await answer.text()}`);
}

async function flush({ engines: { redis } }: World): Promise<Inflicted> {
  if (redis?.pid === undefined) return NOTHING;
  const socket = connect(redis.port, '127.0.0.1', () => void socket.end('FLUSHALL\r\n'));
  socket.on('error', () => {}).resume();
  return { detail: 'FLUSHALL', async heal() {} };
}

function burn(): Inflicted {
  const burners = Array.from(
    { length: CORES_BURNT },
    (): ChildProcess => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  return {
    detail: `${CORES_BURNT} processes that only compute`,
    async heal() {
      for (const burner of burners) burner.kill('SIGKILL');
    },
  };
}

function fillMemory({ memoryFolder }: World): Inflicted {
  if (memoryFolder === undefined) return NOTHING;
  const path = join(memoryFolder, FILLED);
  const file = openSync(path, 'w');
  let written = 0;
  try {
    // The folder is this world's own, and has 32 MB.
    for (;;) written += writeSync(file, PIECE);
  } catch {
    // It is full.
  } finally {
    closeSync(file);
  }
  return {
    detail: `${Math.round(written / 1024)} KiB`,
    async heal() {
      rmSync(path, { force: true });
    },
  };
}

async function shortenDescriptors({ part, pick }: PlannedFault, world: World): Promise<Inflicted> {
  const pid = chosen(part === undefined ? [] : world.pidsOf(part), pick);
  const use = pid === undefined ? undefined : useOf(pid);
  if (pid === undefined || use === undefined) return NOTHING;
  const limit = async (soft: string): Promise<void> => {
    // The process may have ended.
    await run('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]).catch(() => {});
  };
  const { stdout } = await run('prlimit', [
    '--pid',
    String(pid),
    '--nofile',
    '-o',
    'SOFT',
    '--noheadings',
  ]);
  const soft = use.descriptors.length + SPARE_DESCRIPTORS;
  await limit(String(soft));
  return { detail: `${part} ${pid}: ${soft}`, heal: () => limit(stdout.trim()) };
}

async function signalPart(
  { part, pick, durationMs }: PlannedFault,
  world: World,
  signal: 'SIGKILL' | 'SIGSTOP' | 'SIGTERM' | 'SIGHUP',
): Promise<Inflicted> {
  const pid = chosen(part === undefined ? [] : world.pidsOf(part), pick);
  if (pid === undefined) return NOTHING;
  send(pid, signal);
  const detail = `${part} ${pid}`;
  if (signal === 'SIGSTOP') return { detail, heal: async () => send(pid, 'SIGCONT') };
  const own = restartableOf(world, part, pid);
  if (own !== undefined) {
    // A service manager starts it again at once, an engine after its outage.
    if (durationMs === 0) void own.child.ended().then(() => own.start());
    return { detail, heal: async () => (durationMs === 0 ? undefined : own.start()) };
  }
  const engine = part === 'nats' || part === 'redis' ? world.engines[part] : undefined;
  return { detail, heal: async () => engine?.start() };
}

function restartableOf(
  { carriers, hosts }: World,
  part: PlannedFault['part'],
  pid: number,
): Restartable | undefined {
  if (part === 'carriers') return carriers;
  return hosts.find(({ child }) => child.pid === pid);
}

function chosen(pids: readonly number[], pick: number): number | undefined {
  return pids.toSorted((a, b) => a - b)[Math.floor(pick * pids.length)];
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
