import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, inject, test } from 'vitest';

const tlsFile = (name: string): string =>
  fileURLToPath(new URL(`tls/${name}.pem`, import.meta.url));
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Answers on a free port. Returns the port, and the paths that were asked for. */
async function startServer(listener: RequestListener, isTls = false) {
  const asked: (string | undefined)[] = [];
  const listening: RequestListener = (request, response) => {
    asked.push(request.url);
    listener(request, response);
  };
  const pair = { cert: readFileSync(tlsFile('cert')), key: readFileSync(tlsFile('key')) };
  const server = isTls ? createSecureServer(pair, listening) : createServer(listening);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

/** Runs the program. Returns its exit code and its errors. */
async function check(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const program = fileURLToPath(new URL('health-check.js', inject('programs')));
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (data: string) => {
    stderr += data;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

test('the health check passes if /healthz is 200, on the address of a server on all', async () => {
  const { port, asked } = await startServer((_, response) => response.end());
  const env = { PORT: `${port}`, HOST: '0.0.0.0' };
  expect(await check(env)).toEqual({ code: 0, stderr: '' });
  expect(asked).toEqual(['/healthz']);
});

test('the health check fails at any other status, with one line', async () => {
  const { port } = await startServer((_, response) => response.writeHead(503).end());
  expect(await check({ PORT: `${port}` })).toEqual({
    code: 1,
    stderr: 'Not healthy: /healthz of this server failed: it answered 503\n',
  });
});

test('the health check fails where nothing listens', async () => {
  const { port } = await startServer(() => {});
  for (const close of closers.splice(0)) close();
  const { code, stderr } = await check({ PORT: `${port}` });
  expect(code).toBe(1);
  expect(stderr).toContain('ECONNREFUSED');
});

test('the health check asks by TLS if the server has a certificate, whatever its names', async () => {
  const { port } = await startServer((_, response) => response.end(), true);
  const env = { PORT: `${port}`, TLS_CERT: tlsFile('cert'), TLS_KEY: tlsFile('key') };
  expect(await check(env)).toEqual({ code: 0, stderr: '' });
});

test('the health check takes flags of the server; a wrong one is exit code 2', async () => {
  const { port } = await startServer((_, response) => response.end());
  expect(await check({}, ['--port', `${port}`])).toEqual({ code: 0, stderr: '' });
  expect(await check({}, ['--prot', '1'])).toMatchObject({ code: 2 });
});
