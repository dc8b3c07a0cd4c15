import { request } from 'node:http';
import { connect } from 'node:net';
import { isFullScale } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  ASKED,
  getFrom,
  MADRID_BARCELONA,
  requestsAt,
  serveDemo,
  setPlan,
  startDemo,
  statsOf,
} from '../demo.ts';

vi.setConfig({ testTimeout: 60_000 });

type Get = typeof getFrom;

/** Carriers that never answer, so that requests stay in flight. */
async function hang(carriersUrl: string): Promise<void> {
  for (const carrier of ASKED) {
    await setPlan(carriersUrl, carrier, { latency: { kind: 'fixed', ms: 60_000 } });
  }
}

async function admissionOf(get: Get) {
  const processes = await statsOf({ get });
  return processes.find(({ role }: { role: string }) => role === 'server').admission;
}

/** Waits until so many are in flight and so many wait. */
async function until(get: Get, expected: object): Promise<void> {
  await vi.waitFor(async () => expect(await admissionOf(get)).toMatchObject(expected), {
    timeout: 30_000,
  });
}

/** A request whose client can leave. */
function ask(url: string, path = MADRID_BARCELONA, headers: Record<string, string> = {}) {
  const controller = new AbortController();
  const { signal } = controller;
  const answer = getFrom(url + path, { signal, headers }).catch(() => undefined);
  return { answer, leave: () => controller.abort() };
}

/** A request whose body never ends: it stays in flight, whatever the deadline. */
function upload(url: string) {
  const client = request(`${url}/sink`, { method: 'POST' });
  client.on('error', () => {});
  client.write('x');
  onTestFinished(() => {
    client.destroy();
  });
  return { leave: () => client.destroy() };
}

/** Proves what a server whose limit is reached does, however it accepts. */
function testLimit(accept: string): void {
  test(`--accept ${accept}: what is above the limit waits, what waits too long is 503 with Retry-After, and operators are answered`, async () => {
    const flags = ['--max-in-flight', '2', '--coalesce', 'off', '--latency', '0'];
    flags.push('--deadline-ms', '3000');
    const { url, carriersUrl } =
      accept === 'single'
        ? await serveDemo(...flags)
        : await startDemo(['--accept', accept, '--workers', '1', ...flags]);
    const get: Get = (path, init) => getFrom(url + path, init);
    const uploads = [upload(url), upload(url)];
    await until(get, { limit: 2, inFlight: 2, waiting: 0 });
    const third = get(MADRID_BARCELONA);
    const others = ['/openapi.json', '/docs', '/stations?text=a', '/nowhere'].map((path) =>
      get(path),
    );
    for (const path of ['/healthz', '/readyz', '/config', '/metrics', '/operator']) {
      expect((await get(path)).status, path).not.toBe(503);
    }
    const refused = await third;
    for (const { status, body } of await Promise.all(others)) {
      expect([status, body.code]).toEqual([503, 'ERR_EXPIRED']);
    }
    expect(refused).toMatchObject({
      status: 503,
      type: 'application/problem+json',
      body: {
        type: 'urn:ticketing:problem:too-busy',
        title: 'Too busy',
        status: 503,
        instance: '/search',
        code: 'ERR_EXPIRED',
      },
    });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(Number(refused.headers.get('x-worker'))).toBeGreaterThan(0);
    expect((await requestsAt(carriersUrl))['avlo']?.arrived ?? 0).toBe(0);
    for (const { leave } of uploads) leave();
    await until(get, { inFlight: 0, waiting: 0, refused: { late: 5 } });
  });
}

/** Requests of one connection that are answered at a time. */
const AT_A_TIME = 4;

/** Proves that a client which asks ahead takes no more of a server than four requests, however the server accepts. */
function testPipelining(accept: string): void {
  const flags = ['--accept', accept, ...(accept === 'single' ? [] : ['--workers', '1'])];

  test(`--accept ${accept}: of 400 requests that one connection sends ahead 4 are under way, and others are answered [one-client-share]`, async () => {
    const { url, carriersUrl } = await startDemo([
      ...[...flags, '--max-in-flight', 'off', '--coalesce', 'off'],
      ...['--latency', '0', '--deadline-ms', '600000'],
    ]);
    const get: Get = (path, init) => getFrom(url + path, init);
    await hang(carriersUrl);
    const { hostname, port } = new URL(url);
    const client = connect({ port: Number(port), host: hostname });
    onTestFinished(() => void client.destroy());
    client.on('error', () => {});
    const request = `GET ${MADRID_BARCELONA} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    await new Promise((sent) => client.write(request.repeat(400), sent));
    await until(get, { inFlight: AT_A_TIME });
    // Whoever asks afterwards is answered by a process that has been sent all of them.
    for (let other = 0; other < 3; other += 1) expect((await get('/readyz')).status).toBe(200);
    expect(await admissionOf(get)).toMatchObject({ inFlight: AT_A_TIME, admitted: AT_A_TIME });
  });
}

/** Proves that the deadline limits the wait for server processes of which none takes anything. */
function testStoppedProcesses(accept: string): void {
  test(`--accept ${accept}: while the server processes are stopped clients get 503 with Retry-After within the deadline, and answers afterwards [paused-process]`, async () => {
    const { url } = await startDemo([
      ...['--accept', accept, '--workers', '2', '--latency', '0', '--deadline-ms', '2000'],
    ]);
    const get: Get = (path, init) => getFrom(url + path, init);
    const processes: { role: string; pid: number }[] = await statsOf({ get });
    const pids = processes.filter(({ role }) => role === 'server').map(({ pid }) => pid);
    expect(pids).toHaveLength(2);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const refused = Array.from({ length: 6 }, () =>
      get('/readyz', { headers: { connection: 'close' } }),
    );
    for (const { status, headers } of await Promise.all(refused)) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    }
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    await vi.waitFor(async () => expect((await get(MADRID_BARCELONA)).status).toBe(200), {
      timeout: 30_000,
    });
  });
}

/** What Avlo is asked by one search. */
const AVLO_CALLS = 2;

testLimit('single');
if (isFullScale()) {
  testLimit('cluster');
  testLimit('socket');
  testLimit('passthru');
  testPipelining('single');
  testPipelining('cluster');
  testPipelining('socket');
  testPipelining('passthru');
  testStoppedProcesses('socket');
  testStoppedProcesses('passthru');
}

test('a request whose client leaves while it waits is never begun', async () => {
  const { get, url, carriersUrl } = await serveDemo('--max-in-flight', '1', '--coalesce', 'off');
  await hang(carriersUrl);
  const first = ask(url);
  await until(get, { inFlight: 1 });
  const second = ask(url);
  await until(get, { waiting: 1 });
  second.leave();
  await until(get, { inFlight: 1, waiting: 0, left: 1 });
  first.leave();
  await until(get, { inFlight: 0 });
  expect((await requestsAt(carriersUrl))['avlo']?.arrived).toBe(AVLO_CALLS);
});

test('joining a search in flight takes no place, and equal ones that wait are one', async () => {
  const { get, url, carriersUrl } = await serveDemo('--max-in-flight', '1');
  await hang(carriersUrl);
  const [first, ...joined] = [ask(url), ...[1, 2, 3].map(() => ask(url))];
  await until(get, { inFlight: 1, waiting: 0, joined: 3 });
  const others = [1, 2].map(() => ask(url, `${MADRID_BARCELONA}&passengers=2`));
  const stream = ask(url, MADRID_BARCELONA, { accept: 'application/x-ndjson' });
  // A stream joins streams alone; equal searches share one place in the queue.
  await until(get, { inFlight: 1, waiting: 2, joined: 3 });
  for (const { leave } of [...joined, ...others, stream]) leave();
  await until(get, { inFlight: 1, waiting: 0 });
  first.leave();
  await until(get, { inFlight: 0 });
});

test('--max-in-flight off refuses no request', async () => {
  const { get } = await serveDemo('--max-in-flight', 'off');
  const answers = await Promise.all(Array.from({ length: 50 }, () => get('/compute?ms=1')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await admissionOf(get)).toMatchObject({
    limit: null,
    admitted: 50,
    refused: { busy: 0, late: 0 },
  });
});
