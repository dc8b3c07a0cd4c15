import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type OnTerminal, onTerminal } from '@ticketing/cli-kit/testing';
import { until } from '@ticketing/test-kit';
import { afterAll, beforeAll, inject, onTestFinished, vi } from 'vitest';
import type { CarrierName } from '../src/carriers/carriers.ts';
import type { readFlags as ReadFlags } from '../src/flags/read-flags.ts';
import type { serve as Serve } from '../src/serving/serve.ts';
import type { Serving } from '../src/serving/serving.ts';

export const MADRID_BARCELONA = '/search?origin=Atocha&destination=Barcelona';

/** The day on which the servers of these tests live. */
export const TODAY = '2026-11-20';

/** The carriers that the servers of these tests ask by default: all of the Spanish network, so that each search makes the same calls. */
export const ASKED = ['renfe', 'ouigo', 'avlo'] as const satisfies readonly CarrierName[];

/** On a machine that is busy with other tests a search may take its time; few of them look into a store. */
const FOR_TESTS = { DEADLINE_MS: '10000', WORMS: '0', CARRIERS: ASKED.join() };

/** Registers what to do at the end of the test, file or group that a server was started for. */
type AtEnd = (end: () => Promise<void> | void) => void;

/** Serves in this process, as the flags say, until the test ends. */
export function serveDemo(...argv: string[]): Promise<Demo> {
  return serveDemoOn(TODAY, ...argv);
}

/** The same on another day. */
export function serveDemoOn(today: string, ...argv: string[]): Promise<Demo> {
  return serveDemoBy(clockOn(today), ...argv);
}

function clockOn(today: string): () => number {
  const offset = Date.parse(`${today}T12:00Z`) - Math.floor(performance.now());
  return () => offset + Math.floor(performance.now());
}

/** The same by any clock. Workers that dispatch starts have the platform's, whatever this one says. */
export function serveDemoBy(now: () => number, ...argv: string[]): Promise<Demo> {
  return serveUntil(onTestFinished, now, argv);
}

async function serveUntil(atEnd: AtEnd, now: () => number, argv: readonly string[]): Promise<Demo> {
  const { readFlags } = (await import(program('flags/read-flags'))) as {
    readFlags: typeof ReadFlags;
  };
  const { serve } = (await import(program('serving/serve'))) as { serve: typeof Serve };
  const { flags } = readFlags(['--port', '0', ...argv], FOR_TESTS);
  const server = await serve(flags, { now });
  atEnd(server.close);
  return { ...server, get: (path, init) => getFrom(server.url + path, init) };
}

/** One server in this process for all tests of a file or group. */
export function sharedServer(...argv: string[]): () => Demo {
  return sharedServerBy(clockOn(TODAY), ...argv);
}

/** The same by any clock. */
export function sharedServerBy(now: () => number, ...argv: string[]): () => Demo {
  return shared((atEnd) => serveUntil(atEnd, now, argv));
}

/** One server as a process of its own for all tests of a file or group. */
export function sharedProcess(...argv: string[]): () => DemoProcess {
  return shared((atEnd) => startDemo(argv, {}, atEnd));
}

function shared<T>(start: (atEnd: AtEnd) => Promise<T>): () => T {
  let started: T;
  const ends: (() => Promise<void> | void)[] = [];
  beforeAll(async () => {
    started = await start((end) => void ends.unshift(end));
  });
  // Not what `beforeAll` returns: a start that takes too long never comes to it.
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return () => started;
}

export interface Demo extends Serving {
  readonly get: typeof getFrom;
}

/** What a server's processes have counted. */
export async function statsOf({
  get,
}: {
  readonly get: (path: string) => ReturnType<typeof getFrom>;
}) {
  return (await get('/stats')).body.processes;
}

/** Status, headers and parsed body. */
export async function getFrom(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    type: type.split(';')[0],
    headers: response.headers,
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers as they are
    body: (/[/+]json/.test(type) ? JSON.parse(text) : text) as any,
  };
}

/**
 * What a server writes until it closes a connection on which a client writes a text, and then one more byte every 50 ms
 * if it is told to drip.
 */
export function exchange(
  url: string,
  text: string,
  { drips = false }: { readonly drips?: boolean } = {},
): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const { hostname, port } = new URL(url);
    let timer: NodeJS.Timeout | undefined;
    const socket = connect(Number(port), hostname, () => {
      socket.write(text);
      // Not before: what is written while it connects comes first.
      if (drips) timer = setInterval(() => socket.write('x'), 50);
    });
    // A server that cuts a connection may reset it.
    socket.on('error', () => {});
    socket.on('data', (data) => {
      answer += data;
    });
    socket.once('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

/** Asks again until an expectation holds, however busy the machine is: only a test that hangs comes to the end of it. */
export function eventually<T>(
  check: () => T | Promise<T>,
  { interval = 50 }: { readonly interval?: number } = {},
): Promise<T> {
  return vi.waitFor(check, { timeout: 50_000, interval });
}

export interface DemoProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly carriersUrl: string;
  /** Everything written to standard output so far. */
  output(): string;
  /** Everything written to standard error so far. */
  errors(): string;
  exit(): Promise<number | null>;
}

/** One of the bundled programs, as a URL. */
function program(name: string): string {
  return `${inject('programs')}${name}.js`;
}

/** A folder for temporary files, gone when the test has ended. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'demo-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the server's main module, or the one that `DEMO_MAIN` names, with `DEMO_GROUP` in a process group of its own; nothing of it outlives the test. */
export function spawnDemo(
  argv: readonly string[],
  env: Record<string, string> = {},
  atEnd: AtEnd = onTestFinished,
): ChildProcess {
  const {
    DEMO_MAIN: main = fileURLToPath(program('main')),
    DEMO_GROUP: ownGroup,
    ...variables
  } = env;
  const child = spawn(process.execPath, mainWith(argv, main), {
    // The leader of a process group, as under a shell or a service manager.
    detached: ownGroup !== undefined,
    env: { ...environment(atEnd), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

function mainWith(argv: readonly string[], main = fileURLToPath(program('main'))): string[] {
  return ['--conditions=@ticketing/source', main, ...argv];
}

function environment(atEnd: AtEnd): Record<string, string | undefined> {
  return {
    ...FOR_TESTS,
    TMPDIR: temporaryFolder(atEnd),
    PATH: process.env['PATH'],
    ...(process.env['NATS_SERVER_BIN'] && { NATS_SERVER_BIN: process.env['NATS_SERVER_BIN'] }),
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  };
}

/** The server on a pseudo-terminal, when it has printed its addresses. */
export async function demoOnTerminal(
  argv: readonly string[],
): Promise<OnTerminal & { readonly url: string; readonly carriersUrl: string }> {
  const command = [process.execPath, ...mainWith(['--port', '0', ...argv])];
  const terminal = onTerminal(command, { env: environment(onTestFinished) });
  onTestFinished(terminal.close);
  const shown = (): string => stripVTControlCharacters(terminal.written());
  await until(() => /^processes /m.test(shown()), 'the addresses');
  return { ...terminal, ...addressesIn(shown()) };
}

/** The addresses that the server prints at its start. */
function addressesIn(output: string): { readonly url: string; readonly carriersUrl: string } {
  const [, page = 'http://nowhere'] = /^ticketing +(\S+)/m.exec(output) ?? [];
  const [, carriersUrl = ''] = / carriers +(\S+)/.exec(output) ?? [];
  return { url: new URL(page).origin, carriersUrl };
}

/** Starts the server as a process and resolves when it listens. */
export async function startDemo(
  argv: readonly string[],
  env: Record<string, string> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<DemoProcess> {
  const child = spawnDemo(['--port', '0', ...argv], env, atEnd);
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  let output = '';
  const errors: string[] = [];
  child.stderr?.on('data', (data) => errors.push(String(data)));
  const started = new Promise<void>((resolve) => {
    child.stdout?.on('data', (data) => {
      output += data;
      // The addresses and what follows them are written at once.
      if (/^processes /m.test(output)) resolve();
    });
  });
  await Promise.race([started, exit]);
  return {
    child,
    ...addressesIn(output),
    output: () => output,
    errors: () => errors.join(''),
    exit: () => exit,
  };
}

/** A host of a fleet. */
export interface HostProcess {
  readonly child: ChildProcess;
  /** Where it answers whether it is ready. */
  readonly url: string;
  output(): string;
  errors(): string;
  exit(): Promise<number | null>;
}

/** Starts the host program, and resolves when others can find it. */
export async function startHostProgram(
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<HostProcess> {
  const child = spawnDemo(argv, { DEMO_MAIN: fileURLToPath(program('host')), ...env });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  let output = '';
  let errors = '';
  child.stderr?.on('data', (data) => {
    errors += data;
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout?.on('data', (data) => {
      output += data;
      if (/^carriers /m.test(output)) resolve();
    });
  });
  await Promise.race([ready, exit]);
  const [, readyz = 'http://nowhere'] = /^ready +(\S+)/m.exec(output) ?? [];
  return {
    ...{ child, url: new URL(readyz).origin },
    output: () => output,
    errors: () => errors,
    exit: () => exit,
  };
}

/** Runs the server to its end: exit code and what it wrote. */
export function runDemo(argv: readonly string[], env: Record<string, string> = {}) {
  return endOf(spawnDemo(argv, env));
}

/** Waits until a process has ended. */
export async function endOf(child: ChildProcess) {
  let stderr = '';
  let stdout = '';
  child.stderr?.on('data', (data) => {
    stderr += data;
  });
  child.stdout?.on('data', (data) => {
    stdout += data;
  });
  const [code] = await once(child, 'close');
  return { code, stderr, stdout };
}

/** Changes the plan of the simulator at an address. */
export async function setPlan(carriersUrl: string, carrier: string, patch: object): Promise<void> {
  const response = await fetch(`${carriersUrl}/plan/${carrier}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(patch),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Lets a carrier keep what it is asked until its plan changes. Returns what lets it answer. */
export async function hold(carriersUrl: string, carrier: string): Promise<() => Promise<void>> {
  await setPlan(carriersUrl, carrier, { capacity: { concurrent: 0, queue: 100 } });
  return () => setPlan(carriersUrl, carrier, { capacity: null });
}

interface Counts {
  readonly arrived: number;
  readonly aborted: number;
  readonly open: number;
  readonly mostOpen: number;
}

/** What the simulator has seen. */
export async function requestsAt(carriersUrl: string): Promise<Record<string, Counts>> {
  const response = await fetch(`${carriersUrl}/requests`);
  const requests = (await response.json()) as Record<string, Counts>;
  // The simulator plays carriers that the server does not ask, too.
  return Object.fromEntries(
    Object.entries(requests).filter(([id]) => ASKED.some((one) => one === id)),
  );
}
