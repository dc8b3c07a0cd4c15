// The router as a process of its own, and clients with and without TLS on its one port.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import readline from 'node:readline';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'tls-tenants-'));
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
let port: number;
let stop: () => Promise<unknown>;

before(async () => {
  const names = '-subj /CN=tenants.test -addext subjectAltName=DNS:*.tenants.test'.split(' ');
  const curve = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1'.split(' ');
  const files = ['-nodes', '-keyout', key, '-out', cert, '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...files, ...names], { stdio: 'pipe' });
  const env = { ...process.env, PORT: '0', TLS_CERT: cert, TLS_KEY: key };
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const exit = once(child, 'exit');
  stop = () => {
    child.kill('SIGTERM');
    return exit;
  };
  const [line] = await once(readline.createInterface({ input: child.stdout }), 'line');
  ({ port } = JSON.parse(line));
});

after(async () => {
  assert.deepEqual(await stop(), [0, null]);
  rmSync(folder, { recursive: true });
});

async function askTls(servername: string): Promise<{ tenant: string; pid: number }> {
  const options = { host: '127.0.0.1', port, servername, ca: readFileSync(cert), agent: false };
  const [response] = await once(https.get(options), 'response');
  return (await json(response)) as { tenant: string; pid: number };
}

async function askPlain(host: string, path: string): Promise<http.IncomingMessage> {
  const options = { host: '127.0.0.1', port, path, headers: { host }, agent: false };
  const [response] = await once(http.get(options), 'response');
  response.resume();
  return response as http.IncomingMessage;
}

test('all connections of a tenant reach one process, which ends the TLS', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => askTls('anna.tenants.test')));
  assert.deepEqual([...new Set(answers.map(({ tenant }) => tenant))], ['anna.tenants.test']);
  assert.equal(new Set(answers.map(({ pid }) => pid)).size, 1);
  assert.equal((await askTls('boris.tenants.test')).tenant, 'boris.tenants.test');
});

test('plain HTTP on the same port is redirected to the tenant, and to nobody else', async () => {
  const { statusCode, headers } = await askPlain(`anna.tenants.test:${port}`, '/seats?row=3');
  assert.deepEqual([statusCode, headers.location], [308, 'https://anna.tenants.test/seats?row=3']);
  assert.equal((await askPlain('evil.test', '/')).statusCode, 421);
});

test('a name that is no tenant gets no connection', async () => {
  await assert.rejects(askTls('nobody.tenants.test'), /alert/);
});

test('a balancer checks the health of that port without a certificate', async () => {
  assert.equal((await askPlain('10.0.0.1', '/healthz')).statusCode, 200);
});
