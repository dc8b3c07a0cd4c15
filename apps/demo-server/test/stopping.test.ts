import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { eventually, exchange, getFrom, spawnDemo, startDemo } from './demo.ts';

vi.setConfig({ testTimeout: 120_000 });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe.each(['single', 'cluster', 'socket', 'passthru'])('--accept %s', (accept) => {
  const flags = ['--accept', accept, ...(accept === 'single' ? [] : ['--workers', '2'])];

  test('SIGTERM with half a head and a body that drips open: both are cut, and the exit code is 0', async () => {
    const demo = await startDemo([...flags, '--deadline-ms', '500']);
    const half = exchange(demo.url, 'GET /healthz HTTP/1.1\r\nHost: a');
    const body = 'POST /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n';
    const slow = exchange(demo.url, body, { drips: true });
    // Both have been read when a later connection is answered.
    await getFrom(`${demo.url}/healthz`);
    demo.child.kill('SIGTERM');
    await Promise.all([half, slow]);
    expect(await demo.exit()).toBe(0);
    expect(demo.errors()).not.toContain('Cannot stop');
  });
});

test('SIGHUP at the first /readyz, before all workers serve: all are replaced once they do', async () => {
  const port = await freePort();
  const args = ['--port', String(port), '--accept', 'cluster', '--workers', '4'];
  const demo = spawnDemo(args);
  let said = '';
  demo.stderr?.on('data', (data) => {
    said += data;
  });
  demo.stdout?.resume();
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await getFrom(`${url}/readyz`)).status).toBe(200), {
    interval: 5,
  });
  demo.kill('SIGHUP');
  // Each of the first four is followed by another.
  await eventually(async () => {
    const { processes } = (await getFrom(`${url}/stats`)).body;
    const [{ cluster }] = processes;
    expect(cluster).toMatchObject({ state: 'ready', dispatcher: { spawned: 8 } });
  });
  expect(said).toBe('');
  demo.kill('SIGTERM');
  expect(await once(demo, 'exit')).toEqual([0, null]);
});
