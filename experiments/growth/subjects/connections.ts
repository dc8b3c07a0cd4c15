import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { residentBytes } from '../../src/programs/resident-bytes.ts';
import type { Order } from '../connections/clients.ts';
import type { GrowthContender, Subject } from '../subject.ts';

const SERVERS = [
  ['`createSocketRouter`', new URL('../connections/routed-server.ts', import.meta.url)],
  ['`node:cluster`', new URL('../connections/clustered-server.ts', import.meta.url)],
] as const;
const CLIENTS = new URL('../connections/clients.ts', import.meta.url);
/** A process may have 20,000 descriptors on many systems. */
const PER_CLIENT = 15_000;

const start = async (program: URL): Promise<{ child: ChildProcess; message: unknown }> => {
  const child = fork(program);
  return { child, message: await answerOf(child) };
};

/** Returns what a child says next. @throws Error if it ends instead */
async function answerOf(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`${child.spawnargs.at(-1)} ended with code ${code}`);
      }),
    ]);
  } finally {
    over.abort();
  }
}

/** A server, and clients that hold so many connections to it. `askedOf`: on how many they ask. */
const contendersOf = (askedOf: (size: number) => number): GrowthContender[] =>
  SERVERS.map(([name, program]) => ({
    name,
    async prepare(size) {
      const { child: server, message: port } = await start(program);
      const count = Math.ceil(size / PER_CLIENT);
      const clients = await Promise.all(Array.from({ length: count }, () => start(CLIENTS)));
      const before = memoryOf(server.pid);
      const shareOf = (all: number): number => Math.ceil(all / count);
      const order = (asked: number) =>
        Promise.all(
          clients.map(async ({ child }) => {
            const done = answerOf(child);
            child.send({ port, open: shareOf(size), ask: shareOf(asked) } as Order);
            await done;
          }),
        );
      await order(0);
      return {
        work: () => order(askedOf(size)),
        bytes: () => memoryOf(server.pid) - before,
        end: () => Promise.all([server, ...clients.map(({ child }) => child)].map(end)),
      };
    },
  }));

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}

/** Resident bytes of a process and of all that it started. */
function memoryOf(pid = 0): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
  return (residentBytes(pid) ?? 0) + children.reduce((sum, child) => sum + memoryOf(+child), 0);
}

const SIZES = [1, 10, 100, 1000, 10_000, 50_000];

export const connectionsSubjects: readonly Subject[] = [
  {
    name: 'connections that each ask once',
    of: 'connections',
    sizes: SIZES,
    contenders: contendersOf((size) => size),
  },
  {
    name: 'idle connections beside 100 that ask',
    of: 'connections',
    sizes: SIZES,
    contenders: contendersOf((size) => Math.min(size, 100)),
  },
];
