import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, gone, type TestProgram, until } from '@ticketing/test-kit';
import { request } from 'undici';
import { onTestFinished } from 'vitest';

const DEMO = fileURLToPath(new URL('../../../apps/demo-server/src/main.ts', import.meta.url));
const FLAGS = ['--accept', 'socket', '--workers', '2', '--route-by', 'header:x-route-key'];
/** The shipped settings have these. */
const HOST_PORTS = [3001, 3002, 3003];
const PUBLIC_PORT = 8080;

/** A balancer with its shipped settings. A new one is one row. */
export const BALANCERS = {
  haproxy: {
    programs: ['haproxy'],
    programVariable: 'HAPROXY_BIN',
    settings: 'haproxy.cfg',
    argumentsFor: (folder: string) => ['-db', '-f', join(folder, 'haproxy.cfg')],
  },
  nginx: {
    programs: ['nginx'],
    programVariable: 'NGINX_BIN',
    install: 'nginx-light',
    settings: 'nginx.conf',
    argumentsFor: (folder: string) => [
      ...['-p', folder, '-c', join(folder, 'nginx.conf')],
      ...['-g', 'daemon off;'],
    ],
  },
} as const satisfies Record<string, TestProgram & Record<string, unknown>>;
export type BalancerName = keyof typeof BALANCERS;

/** A demo of two server processes behind its own router, which can go and come back on its port. */
export interface Host {
  readonly port: number;
  readonly pid: number;
  start(): Promise<void>;
  /** SIGTERM to its primary: it answers what it has. Resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL to all of its processes, as when a machine goes. */
  kill(): Promise<void>;
}

/** Starts a host. Its carrier answers after `latencyMs`. */
export async function startHost({
  latencyMs = 5,
}: {
  readonly latencyMs?: number;
} = {}): Promise<Host> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  let pids: number[] = [];
  const host: Host = {
    port,
    get pid() {
      return child?.pid ?? 0;
    },
    async start() {
      const flags = ['--port', String(port), '--latency', String(latencyMs), ...FLAGS];
      child = spawn(
        process.execPath,
        [
          ...['--conditions=@ticketing/source', DEMO, ...flags],
          ...['--carriers', 'avlo', '--worms', '0', '--deadline-ms', '20000'],
        ],
        { stdio: ['ignore', 'pipe', 'inherit'], detached: true },
      );
      let printed = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      // Not when `/readyz` answers: one process does that alone, and has all keys until the other one is there.
      await until(() => {
        if (child?.exitCode !== null) throw new Error('Cannot start a host: it has ended');
        return printed.includes('\nprocesses ');
      }, 'the addresses, printed once both processes serve');
      const { body } = await request(`http://127.0.0.1:${port}/config`);
      const config = (await body.json()) as { processes: { pid: number }[] };
      pids = [...new Set([child.pid ?? 0, ...config.processes.map(({ pid }) => pid)])];
    },
    async stop() {
      if (child === undefined) return null;
      const ended = child.exitCode === null && child.signalCode === null && once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
    async kill() {
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended.
        }
      }
      await Promise.all(pids.map((pid) => gone(pid, 20_000)));
      pids = [];
    },
  };
  await host.start();
  return host;
}

/** A host that answers everything, and says what it is told of its readiness. */
export interface StubHost {
  readonly port: number;
  readonly searches: number;
  /** The header X-Route-Key of each search, in turn. */
  readonly routeKeys: readonly unknown[];
  isReady: boolean;
}

export async function startStubHost(): Promise<StubHost> {
  const routeKeys: unknown[] = [];
  const server = createServer(({ url, headers }, response) => {
    if (url !== '/readyz') {
      host.searches += 1;
      routeKeys.push(headers['x-route-key']);
    }
    response.writeHead(url === '/readyz' && !host.isReady ? 503 : 200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = { port, searches: 0, routeKeys, isReady: true };
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return host;
}

/** Starts a balancer with its shipped settings, the ports replaced. `url` is where clients ask. */
export async function startBalancer(
  name: BalancerName,
  { program, hostPorts }: { readonly program: string; readonly hostPorts: readonly number[] },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { settings, argumentsFor } = BALANCERS[name];
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const port = await freePort();
  const shipped = readFileSync(new URL(`../${settings}`, import.meta.url), 'utf8');
  const ports = new Map([
    [PUBLIC_PORT, port],
    ...HOST_PORTS.map((each, index) => [each, hostPorts[index] ?? 0] as const),
  ]);
  const text = shipped.replace(/127\.0\.0\.1:(\d+)/g, (_, each) => {
    const replaced = ports.get(Number(each));
    if (replaced === undefined) throw new Error(`${settings} has another port: ${each}`);
    return `127.0.0.1:${replaced}`;
  });
  writeFileSync(join(folder, settings), text);
  const child = spawn(program, argumentsFor(folder), { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece) => {
      output = (output + piece).slice(-16_384);
    });
  }
  const url = `http://127.0.0.1:${port}`;
  async function close(): Promise<void> {
    // SIGTERM stops both at once, with their workers.
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`Cannot start ${name}: ${output}`);
      return (await statusOf(`${url}/readyz`)) === 200;
    }, `${name} that answers`);
  } catch (error) {
    await close();
    throw error;
  }
  return { url, close };
}

async function statusOf(url: string): Promise<number> {
  try {
    const { statusCode, body } = await request(url, { reset: true });
    await body.dump();
    return statusCode;
  } catch {
    return 0;
  }
}
