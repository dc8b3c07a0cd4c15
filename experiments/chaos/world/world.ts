import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  canMountMemory,
  type EngineServer,
  freePort,
  startNatsServer,
  startRedisServer,
} from '@ticketing/test-kit';
import type { EngineName, Part, Setup } from '../setups.ts';
import { type Child, startChild } from './child.ts';
import { type ProcessFacts, processesUnder, processesWith } from './processes.ts';

/** Hundreds of processes are started from the same files: compiled code that is kept takes half of that from the cores. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'ticketing-chaos');

/** The demo as its user starts it, and all that it needs, each as a process of its own. */
export interface World {
  readonly url: string;
  readonly carriersUrl: string;
  readonly demo: Child;
  readonly engines: Readonly<Partial<Record<EngineName, EngineServer>>>;
  /** Carriers' simulator. */
  readonly carriers: Restartable;
  /** Hosts that this world starts again. */
  readonly hosts: readonly Restartable[];
  /** Temporary folder of the demo and its hosts. */
  readonly folder: string;
  /** `/dev/shm` of the demo; undefined where the system gives it none of its own. */
  readonly memoryFolder: string | undefined;
  /** Pids of the living processes of a part. */
  pidsOf(part: Part): readonly number[];
  /** Living processes of the demo and its hosts. */
  parts(): readonly ProcessFacts[];
  /** Pids of the demo and its hosts, with orphans of theirs. */
  all(): readonly number[];
  /** Files, folders and sockets of the demo on disk and in memory. */
  files(): readonly string[];
  /** Ends everything that is left, and removes the folders. */
  close(): Promise<void>;
}

/** A program that is started again on the same address. */
export interface Restartable {
  readonly child: Child;
  /** Starts it, unless it runs. */
  start(): Promise<void>;
  /** Ends it and starts it again, which closes every connection to it. */
  restart(): Promise<void>;
}

export interface WorldOptions {
  /** Seed of the timetable. */
  readonly timetable: string;
  readonly deadlineMs: number;
  readonly latencyMs: number;
  /** Flags after the flags of the set-up. */
  readonly flags?: readonly string[];
  /** Further variables of the demo and its hosts. */
  readonly env?: Readonly<Record<string, string>>;
}

const ROOT = new URL('../../../', import.meta.url);
const program = (path: string): string => fileURLToPath(new URL(path, ROOT));
const DEMO = 'apps/demo-server/dist/main.js';
const HOST = 'apps/demo-server/dist/host.js';
const CARRIERS = 'packages/carrier-sim/dist/program/cli.js';
const MEMORY = 'size=32m';

/** Starts the built programs of a set-up. @throws Error if something is not built or installed */
export async function startWorld(setup: Setup, options: WorldOptions): Promise<World> {
  for (const path of [DEMO, HOST, CARRIERS]) {
    if (!existsSync(program(path)))
      throw new Error(`Cannot start ${path}: run \`pnpm build\` first`);
  }
  const base = mkdtempSync(join(tmpdir(), 'chaos-'));
  const folder = join(base, 'tmp');
  mkdirSync(folder);
  const env = {
    PATH: `${process.env['PATH']}:/usr/sbin`,
    TMPDIR: folder,
    NODE_COMPILE_CACHE,
    ...options.env,
  };
  const marks = `TMPDIR=${folder}\0`;
  const ends: (() => Promise<void> | void)[] = [];
  /** However this process ends. */
  const leave = (): void => {
    for (const pid of [marks, `TMPDIR=${base}\0`].flatMap(processesWith)) kill(pid);
    rmSync(base, { recursive: true, force: true });
  };
  async function close(): Promise<void> {
    for (const end of ends.toReversed()) await end();
    leave();
    process.off('exit', leave);
  }
  process.once('exit', leave);
  try {
    const carriers = await startCarriers(options, base);
    ends.push(async () => stopChild(carriers.child));
    const carriersUrl = /listening +(\S+)/.exec(carriers.child.output())?.[1] ?? '';
    const engines: Partial<Record<EngineName, EngineServer>> = {};
    for (const name of setup.engines) {
      const engine = await (name === 'nats' ? startNatsServer() : startRedisServer());
      engines[name] = engine;
      ends.push(() => engine.close());
    }
    const natsFlags = engines.nats ? ['--nats-url', engines.nats.url] : [];
    const deadline = ['--deadline-ms', String(options.deadlineMs)];
    const hosts: Restartable[] = [];
    for (let index = 0; index < setup.hosts; index += 1) {
      const argv = [...natsFlags, ...deadline, '--carriers-url', carriersUrl];
      const host = await startHost(`host-${index}`, argv, env);
      ends.push(async () => stopChild(host.child));
      hosts.push(host);
    }
    const demo = await startDemo(setup, {
      env,
      argv: [
        ...[...setup.flags, ...natsFlags, ...deadline, '--carriers-url', carriersUrl],
        ...(engines.redis ? ['--redis-url', engines.redis.url] : []),
        ...(options.flags ?? []),
      ],
    });
    ends.push(async () => stopChild(demo));
    const url = new URL(/^ticketing +(\S+)/m.exec(demo.output())?.[1] ?? '').origin;
    const memoryFolder = canMountMemory() ? `/proc/${demo.pid}/root/dev/shm` : undefined;
    const parts = (): ProcessFacts[] =>
      [demo.pid, ...hosts.map(({ child }) => child.pid)].flatMap(processesUnder);
    return {
      ...{ url, carriersUrl, demo, engines, carriers, hosts, folder, memoryFolder, close },
      pidsOf(part) {
        if (part === 'carriers') return [carriers.child.pid];
        if (part === 'host' && hosts.length > 0) return hosts.map(({ child }) => child.pid);
        const engine = part === 'redis' || part === 'nats' ? engines[part] : undefined;
        if (engine !== undefined) return engine.pid === undefined ? [] : [engine.pid];
        return processesUnder(demo.pid)
          .filter((each) => each.part === part)
          .map(({ pid }) => pid);
      },
      parts,
      all: () => [...new Set([...parts().map(({ pid }) => pid), ...processesWith(marks)])],
      files: () => [folder, ...(memoryFolder ? [memoryFolder] : [])].flatMap(filesIn),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).map(
      ({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1),
    );
  } catch {
    // Its process has ended, and the folder with it.
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

async function stopChild(child: Child): Promise<void> {
  child.kill('SIGKILL');
  await child.ended();
}

function startDemo(
  { name }: Setup,
  { env, argv }: { readonly env: NodeJS.ProcessEnv; readonly argv: readonly string[] },
): Promise<Child> {
  const own = [process.execPath, program(DEMO), '--port', '0', ...argv];
  // The line of the processes is the last one that every start prints.
  const ready = /^processes /m;
  if (!canMountMemory()) return startChild(name, own, { env, ready });
  const mount = `mount -t tmpfs -o ${MEMORY} tmpfs /dev/shm && exec "$@"`;
  const command = ['unshare', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh', ...own];
  return startChild(name, command, { env, ready });
}

async function startCarriers(
  { timetable, latencyMs }: WorldOptions,
  folder: string,
): Promise<Restartable> {
  const port = await freePort();
  const env = { PATH: process.env['PATH'], TMPDIR: folder, NODE_COMPILE_CACHE };
  const command = [process.execPath, program(CARRIERS), '--port', String(port)];
  const start = async (): Promise<Child> => {
    const child = await startChild('carriers', [...command, '--seed', timetable], {
      ...{ env, ready: /^listening/m },
    });
    const url = `http://127.0.0.1:${port}`;
    for (const carrier of Object.keys((await (await fetch(`${url}/plan`)).json()) as object)) {
      await fetch(`${url}/plan/${carrier}`, {
        method: 'PUT',
        body: JSON.stringify({ latency: { kind: 'fixed', ms: latencyMs } }),
      });
    }
    return child;
  };
  return restartable(await start(), start);
}

async function startHost(
  name: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Restartable> {
  const command = [process.execPath, program(HOST), '--name', name, ...argv];
  const start = (): Promise<Child> => startChild(name, command, { env, ready: /^carriers /m });
  return restartable(await start(), start);
}

function restartable(first: Child, startOne: () => Promise<Child>): Restartable {
  let child = first;
  let starting: Promise<void> | undefined;
  async function start(): Promise<void> {
    if (child.exit() === undefined) return;
    starting ??= (async () => {
      try {
        child = await startOne();
      } finally {
        starting = undefined;
      }
    })();
    await starting;
  }
  return {
    start,
    get child() {
      return child;
    },
    async restart() {
      child.kill('SIGTERM');
      await child.ended();
      await start();
    },
  };
}
