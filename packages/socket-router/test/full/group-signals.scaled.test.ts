import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gone, isFullScale, lives } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { open, received } from '../clients.ts';
import { execArgv } from '../worker-processes.ts';

const program = fileURLToPath(new URL('../group-program.mjs', import.meta.url));
/** With the first byte of the body: a proxy sends the head with it. */
const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\nb';

interface GroupEvent {
  readonly name: string;
  readonly pid?: number;
  readonly port?: number;
  readonly pids?: readonly number[];
}

interface Group {
  readonly child: ChildProcess;
  readonly port: number;
  readonly pids: readonly number[];
  /** Sends six heads; resolves when workers have all six requests, with the connections and the workers that have them. */
  hold(): Promise<{ readonly clients: readonly Socket[]; readonly by: readonly number[] }>;
  /** Resolves with the next line that the program or a worker has written. */
  line(): Promise<string>;
  /** Resolves with the worker of the next event of this name. */
  next(name: string): Promise<number>;
}

/** Starts the program as the leader of a process group, as a shell and a service manager do. */
async function startGroup(mode: string, kind: string): Promise<Group> {
  const child = spawn(process.execPath, [...execArgv, program, mode, kind], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const group = -(child.pid as number);
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(group, 'SIGKILL');
  });
  const events: GroupEvent[] = [];
  const waiting: { readonly name: string; resolve(event: GroupEvent): void }[] = [];
  child.on('message', (event: GroupEvent) => {
    const index = waiting.findIndex(({ name }) => name === event.name);
    if (index < 0) events.push(event);
    else waiting.splice(index, 1)[0]?.resolve(event);
  });
  const next = (name: string): Promise<GroupEvent> => {
    const index = events.findIndex((event) => event.name === name);
    const [event] = index < 0 ? [] : events.splice(index, 1);
    if (event !== undefined) return Promise.resolve(event);
    return new Promise((resolve) => waiting.push({ name, resolve }));
  };
  const lines = createInterface(child.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]();
  const { port = 0, pids = [] } = await next('port');
  events.length = 0;
  const line = async (): Promise<string> => (await lines.next()).value ?? '';
  return {
    child,
    port,
    pids,
    line,
    async hold() {
      const clients = await Promise.all(Array.from({ length: 6 }, () => open(port)));
      for (const client of clients) client.write(HEAD);
      const by: number[] = [];
      while (by.length < 6) {
        const [, pid] = /^got (\d+)$/.exec(await line()) ?? [];
        by.push(Number(pid));
      }
      return { clients, by };
    },
    next: async (name) => (await next(name)).pid as number,
  };
}

/** Sends the rest of the bodies. Returns which of the requests were answered. */
async function answersOf(clients: readonly Socket[]): Promise<boolean[]> {
  for (const client of clients) client.write('ody');
  const answers = await Promise.all(clients.map((client) => received(client)));
  return answers.map((answer) => /^HTTP\/1\.1 200 .*served by \d+$/s.test(answer));
}

const ALL: readonly boolean[] = Array.from({ length: 6 }, () => true);

type Mode = 'socket' | 'passthru';
type Kind = 'forked' | 'cluster';

function testEndOfGroup(signal: 'SIGINT' | 'SIGTERM', mode: Mode, kind: Kind): void {
  test(`${signal} to the whole group, mode ${mode}, workers ${kind}: no request is lost, and nothing is left [group-signals]`, async () => {
    const { child, pids, hold, line } = await startGroup(mode, kind);
    const { clients } = await hold();
    const ended = once(child, 'exit');
    process.kill(-(child.pid as number), signal);
    // Before it runs another line each process has the signal.
    expect(await answersOf(clients)).toEqual(ALL);
    // The program ends workers of node:cluster itself: here it holds them until its channel to this process closes.
    if (kind === 'cluster') process.kill(child.pid as number, 'SIGKILL');
    else {
      expect(await ended).toEqual([0, null]);
      // None was started for the end.
      expect(await line()).toBe('workers 2');
    }
    await Promise.all(pids.map((pid) => gone(pid, 10_000)));
  });
}

function testReloadOfGroup(mode: Mode, kind: Kind): void {
  test(`SIGHUP to the whole group, mode ${mode}, workers ${kind}: no request is lost, and all processes go on [group-signals]`, async () => {
    const { child, pids, hold } = await startGroup(mode, kind);
    const { clients } = await hold();
    process.kill(-(child.pid as number), 'SIGHUP');
    expect(await answersOf(clients)).toEqual(ALL);
    const { clients: more, by } = await hold();
    expect(by.filter((pid) => !pids.includes(pid))).toEqual([]);
    expect(await answersOf(more)).toEqual(ALL);
    expect(pids.filter((pid) => !lives(pid))).toEqual([]);
  });
}

function testWorkerWithoutSuccessor(kind: 'cluster' | 'bare'): void {
  test(`SIGTERM to one worker of a source that starts no successor, ${kind}: it answers its requests and ends`, async () => {
    const { hold, next } = await startGroup('socket', kind);
    const { clients, by } = await hold();
    const [pid = 0] = by;
    const down = next('worker-down');
    process.kill(pid, 'SIGTERM');
    expect(await answersOf(clients)).toEqual(ALL);
    expect(await down).toBe(pid);
    await gone(pid, 10_000);
    const { clients: more, by: others } = await hold();
    expect(others).not.toContain(pid);
    expect(await answersOf(more)).toEqual(ALL);
  });
}

testEndOfGroup('SIGINT', 'socket', 'forked');
testEndOfGroup('SIGTERM', 'socket', 'cluster');
if (isFullScale()) {
  testEndOfGroup('SIGTERM', 'socket', 'forked');
  testEndOfGroup('SIGINT', 'passthru', 'forked');
  testEndOfGroup('SIGTERM', 'passthru', 'forked');
  testEndOfGroup('SIGINT', 'socket', 'cluster');
  testReloadOfGroup('socket', 'forked');
  testReloadOfGroup('socket', 'cluster');
  testWorkerWithoutSuccessor('cluster');
  testReloadOfGroup('passthru', 'forked');
  testWorkerWithoutSuccessor('bare');
}

test('SIGTERM to one worker of forkWorkers: its requests are answered, and it has a successor', async () => {
  const { pids, hold, next } = await startGroup('socket', 'forked');
  const { clients, by } = await hold();
  const [pid = 0] = by;
  const ready = next('worker-ready');
  process.kill(pid, 'SIGTERM');
  expect(await next('worker-replaced')).toBe(pid);
  expect(pids).not.toContain(await ready);
  expect(await answersOf(clients)).toEqual(ALL);
  await gone(pid, 10_000);
});
