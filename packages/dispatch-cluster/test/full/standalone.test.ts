import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gone } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { clusterWorker } from '../../src/index.ts';
import { freePort } from '../readme-program.ts';

vi.setConfig({ testTimeout: 60_000 });

const program = fileURLToPath(new URL('../fixtures/alone.ts', import.meta.url));

/** Runs the program without a primary; each call of `line()` resolves with its next line. */
function run(
  env: Readonly<Record<string, string>> = {},
  nodeOptions: readonly string[] = [],
): { readonly child: ChildProcess; line(): Promise<string> } {
  const child = spawn(
    process.execPath,
    [...nodeOptions, '--conditions=@ticketing/source', program],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone(child.pid as number, 10_000);
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value ?? '' };
}

interface Answer {
  readonly connection: string | undefined;
  readonly body: string;
}

/** Asks over a kept connection, and resolves with the answer; `begun` is called at its first bytes. */
function ask(port: string, path: string, begun: () => void = () => {}): Promise<Answer> {
  const agent = new http.Agent({ keepAlive: true });
  return new Promise((resolve, reject) => {
    http
      .get({ port, path, agent, host: '127.0.0.1' }, async (response) => {
        let body = '';
        for await (const chunk of response) {
          begun();
          body += chunk;
        }
        resolve({ connection: response.headers.connection, body });
      })
      .once('error', reject);
  });
}

test.each(['listener', 'fastify', 'attached'])(
  'clusterWorker({ standalone }) without a primary listens by itself, in slot 0 (%s)',
  async (kind) => {
    const { child, line } = run({ KIND: kind });
    const { body, connection } = await ask(await line(), '/');
    expect(JSON.parse(body)).toEqual({
      slot: '0',
      isDraining: false,
      doubled: 42,
      log: ['set up 0 1'],
    });
    expect(connection).toBe('keep-alive');
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await line()).toBe('set up 0 1, torn down');
    expect(await ended).toEqual([0, null]);
  },
);

test('SIGTERM to a worker that serves alone answers the request in flight, refuses further ones, and ends with 0', async () => {
  const { child, line } = run();
  const port = await line();
  let begun = (): void => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const held = ask(port, '/held', () => begun());
  await hasBegun;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const { body } = await held;
  expect(body).toMatch(/^begun \{.*"isDraining":true/);
  expect(await ended).toEqual([0, null]);
  await expect(ask(port, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a worker that serves alone, and cannot listen, ends with 1 and the reason', async () => {
  const { line } = run();
  const { child } = run({ PORT: await line() });
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint += chunk;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(complaint).toContain('EADDRINUSE');
});

test('clusterWorker({ standalone }) runs under node --watch, whose messages are ignored', async () => {
  const { child, line } = run({}, ['--watch']);
  const { body } = await ask(await line(), '/');
  expect(JSON.parse(body)).toMatchObject({ slot: '0' });
  // It passes the signal on to the program.
  child.kill('SIGTERM');
  expect(await line()).toBe('set up 0 1, torn down');
});

test('close() of a worker that serves alone ends its server and not the process: a test may serve again', async () => {
  const port = await freePort();
  const serve = () =>
    clusterWorker({
      server: (_, response) => response.end('served'),
      listen: { port },
      standalone: { graceMs: 500 },
    });
  for (const _ of [1, 2]) {
    const worker = serve();
    await worker.server;
    expect(() => serve()).toThrow('`clusterWorker` was called before');
    expect(worker).toMatchObject({ isStandalone: true, slot: 0, workerId: 1 });
    const { body } = await ask(String(port), '/');
    expect(body).toBe('served');
    const listeners = process.listenerCount('SIGTERM');
    await worker.close();
    expect(process.listenerCount('SIGTERM')).toBe(listeners - 1);
    await expect(ask(String(port), '/')).rejects.toThrow('ECONNREFUSED');
  }
});
