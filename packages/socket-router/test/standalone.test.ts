import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http, { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gone } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { attachServer, createSocketRouter, forkWorkers } from '../src/index.ts';
import { ask } from './clients.ts';
import { execArgv } from './worker-processes.ts';

vi.setConfig({ testTimeout: 60_000 });

const entry = new URL('workers/alone-worker.mjs', import.meta.url);

/** Runs the worker without a router; each call of `line()` resolves with its next line. */
function run(
  env: Readonly<Record<string, string>> = {},
  nodeOptions: readonly string[] = [],
): { readonly child: ChildProcess; line(): Promise<string> } {
  const args = [...nodeOptions, ...execArgv, fileURLToPath(entry)];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, REPORT: 'yes', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone(child.pid as number, 10_000);
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value ?? '' };
}

test.each([[], ['--watch']])(
  'attachServer({ standalone }) without a router listens by itself (%j), and SIGTERM ends it after the request in flight',
  async (...nodeOptions) => {
    const { child, line } = run({}, nodeOptions);
    const port = Number(await line());
    const kept = new http.Agent({ keepAlive: true });
    expect((await ask(port, { agent: kept })).text).toBe('draining: false');
    const held = http.get({ port, path: '/held', host: '127.0.0.1' });
    const [response] = (await once(held, 'response')) as [http.IncomingMessage];
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    let text = '';
    for await (const chunk of response) text += chunk;
    expect(text).toBe('begun draining: true');
    expect(JSON.parse(await line())).toMatchObject({ claimed: 2, requests: 2, forwarded: 0 });
    if (nodeOptions.length === 0) expect(await ended).toEqual([0, null]);
    kept.destroy();
  },
);

test('a server that serves alone, and cannot listen, ends with 1 and the reason', async () => {
  const { line } = run();
  const { child } = run({ PORT: await line() });
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint += chunk;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(complaint).toContain('EADDRINUSE');
});

test('attachServer({ standalone }) in a process of forkWorkers serves its router, and does not listen', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  // A worker that listened would fail.
  const { port } = blocker.address() as { port: number };
  await using router = createSocketRouter({
    workers: forkWorkers(entry, {
      workers: 1,
      env: { ...process.env, PORT: String(port) },
      execArgv,
    }),
    laterRequests: 'connection',
  });
  await router.ready();
  const routed = await router.listen({ port: 0 });
  expect((await ask(routed.port)).text).toBe('draining: false');
  blocker.close();
});

test('close() of a server that serves alone ends it and not the process', async () => {
  const server = createServer((_, response) => response.end('served'));
  const handle = attachServer(server, { standalone: true, listen: { port: 0 } });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expect((await ask(port)).text).toBe('served');
  const listeners = process.listenerCount('SIGTERM');
  await handle.close();
  expect(process.listenerCount('SIGTERM')).toBe(listeners - 1);
  await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
  expect(handle.draining.aborted).toBe(true);
});
