import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startCarrierSim } from '@ticketing/carrier-sim';
import { expect, onTestFinished, test, vi } from 'vitest';
import { getFrom, MADRID_BARCELONA, requestsAt, runDemo, setPlan, startDemo } from './demo.ts';

test('main prints the resolved flags with their origin, serves, and stops with 0 on SIGTERM', async () => {
  const demo = await startDemo(['--latency', '0'], { DEADLINE_MS: '1500' });
  expect(demo.output()).toMatch(/^--port +0 +--port$/m);
  expect(demo.output()).toMatch(/^--deadline-ms +1500 +DEADLINE_MS$/m);
  expect(demo.output()).toMatch(/^--carriers +renfe,ouigo,avlo +default$/m);
  const { status, body } = await getFrom(demo.url + MADRID_BARCELONA);
  expect([status, body.complete]).toEqual([200, true]);
  demo.child.kill('SIGTERM');
  expect(await demo.exit()).toBe(0);
  await expect(fetch(demo.carriersUrl)).rejects.toThrow();
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: what is in flight is answered, then nothing is left',
  async (signal) => {
    const demo = await startDemo(['--latency', '300']);
    const asked = getFrom(demo.url + MADRID_BARCELONA);
    await vi.waitFor(async () =>
      expect((await requestsAt(demo.carriersUrl))['renfe']?.open).toBe(1),
    );
    demo.child.kill(signal);
    demo.child.kill(signal);
    const { status, body } = await asked;
    expect([status, body.complete]).toEqual([200, true]);
    expect(await demo.exit()).toBe(0);
  },
);

test('SIGTERM while a stream hangs: the stream ends at its deadline, and the process with it', async () => {
  const demo = await startDemo(['--latency', '0', '--deadline-ms', '1500']);
  await setPlan(demo.carriersUrl, 'renfe', { fault: { kind: 'hang' } });
  const asked = getFrom(demo.url + MADRID_BARCELONA, {
    headers: { accept: 'application/x-ndjson' },
  });
  await vi.waitFor(async () => expect((await requestsAt(demo.carriersUrl))['renfe']?.open).toBe(1));
  demo.child.kill('SIGTERM');
  expect((await asked).body).toMatch(/"type":"search-done".*"complete":false/);
  expect(await demo.exit()).toBe(0);
});

test('--carriers-url asks a simulator elsewhere', async () => {
  const sim = await startCarrierSim({ plan: { renfe: { latency: { kind: 'fixed', ms: 0 } } } });
  onTestFinished(() => sim.close());
  const demo = await startDemo(['--carriers-url', `${sim.url}/`]);
  expect((await getFrom(demo.url + MADRID_BARCELONA)).body.complete).toBe(true);
  expect(sim.requests().renfe.answered).toBe(4);
});

test('USE_RANDOM_DELAY=true gives the simulator random latency', async () => {
  const demo = await startDemo([], { USE_RANDOM_DELAY: 'true' });
  const plan = await getFrom(`${demo.carriersUrl}/plan/ouigo`);
  expect(plan.body.latency).toEqual({ kind: 'random' });
});

test('--log-requests on writes one line a request, with the pid', async () => {
  const demo = await startDemo(['--log-requests', 'on', '--latency', '0']);
  await getFrom(`${demo.url}/healthz`);
  await getFrom(demo.url + MADRID_BARCELONA);
  await vi.waitFor(() => expect(demo.output()).toContain('"url":"/search'));
  const lines = demo
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const requests = lines.filter(({ msg }) => msg === 'request');
  expect(requests).toMatchObject([
    { pid: demo.child.pid, method: 'GET', url: '/healthz', status: 200 },
    { pid: demo.child.pid, method: 'GET', url: MADRID_BARCELONA, status: 200 },
  ]);
});

test.each([
  [
    ['--speed', '9'],
    {},
    /^Cannot start: flags of the README expected\. Unknown option '--speed'\n$/,
  ],
  [['extra'], {}, /^Cannot start: flags of the README expected\. Unexpected argument 'extra'/],
  [
    ['--port', '99999'],
    {},
    /^Cannot start: --port must be an integer from 0 to 65535, got '99999'\n$/,
  ],
  [[], { PORT: 'x' }, /^Cannot start: PORT must be an integer from 0 to 65535, got 'x'\n$/],
  [
    ['--carriers', 'sncf'],
    {},
    /^Cannot start: --carriers must be all, or some of renfe,ouigo,avlo, got 'sncf'\n$/,
  ],
] as const)('main %j: one clear line and exit code 2', async (argv, env, line) => {
  const { code, stderr, stdout } = await runDemo(argv, env);
  expect(stderr).toMatch(line);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test('a port that is taken: one clear line and exit code 2', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { code, stderr } = await runDemo(['--port', String(port)]);
  expect(stderr).toBe(
    `Cannot start: an address that is free expected. listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
  );
  expect(code).toBe(2);
});
