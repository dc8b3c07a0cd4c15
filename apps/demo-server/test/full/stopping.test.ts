import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { eventually, getFrom, spawnDemo } from '../demo.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

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
