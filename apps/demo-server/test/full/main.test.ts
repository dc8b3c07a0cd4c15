import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  eventually,
  getFrom,
  hold,
  MADRID_BARCELONA,
  requestsAt,
  runDemo,
  setPlan,
  startDemo,
} from '../demo.ts';

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: what is in flight is answered, then nothing is left',
  async (signal) => {
    const demo = await startDemo(['--latency', '300', '--deadline-ms', '60000']);
    const answer = await hold(demo.carriersUrl, 'renfe');
    const asked = getFrom(demo.url + MADRID_BARCELONA);
    await eventually(async () =>
      expect((await requestsAt(demo.carriersUrl))['renfe']?.open).toBe(1),
    );
    demo.child.kill(signal);
    demo.child.kill(signal);
    await answer();
    const { status, body } = await asked;
    expect([status, body.complete]).toEqual([200, true]);
    expect(await demo.exit()).toBe(0);
  },
);

test('stops with 0 on SIGTERM, and the simulator with it', async () => {
  const demo = await startDemo(['--latency', '0']);
  await fetch(demo.carriersUrl);
  demo.child.kill('SIGTERM');
  expect(await demo.exit()).toBe(0);
  await expect(fetch(demo.carriersUrl)).rejects.toThrow();
});

test('SIGTERM while a stream hangs: the stream ends at its deadline, and the process with it', async () => {
  const demo = await startDemo(['--latency', '0', '--deadline-ms', '1500']);
  await setPlan(demo.carriersUrl, 'renfe', { fault: { kind: 'hang' } });
  const asked = getFrom(demo.url + MADRID_BARCELONA, {
    headers: { accept: 'application/x-ndjson' },
  });
  await eventually(async () => expect((await requestsAt(demo.carriersUrl))['renfe']?.open).toBe(1));
  demo.child.kill('SIGTERM');
  expect((await asked).body).toMatch(/"type":"search-done".*"complete":false/);
  expect(await demo.exit()).toBe(0);
});

test('USE_RANDOM_DELAY=true gives the simulator random latency', async () => {
  const demo = await startDemo([], { USE_RANDOM_DELAY: 'true' });
  const plan = await getFrom(`${demo.carriersUrl}/plan/ouigo`);
  expect(plan.body.latency).toEqual({ kind: 'random' });
});

test.each([
  [['--speed', '9'], {}, /^Cannot start: unknown flag --speed; --help lists the flags\n$/],
  [['extra'], {}, /^Cannot start: unexpected argument 'extra'; --help lists the flags/],
  [
    ['--port', '99999'],
    {},
    /^Cannot start: --port must be an integer from 0 to 65535, got '99999'\n$/,
  ],
  [[], { PORT: 'x' }, /^Cannot start: PORT must be an integer from 0 to 65535, got 'x'\n$/],
  [
    ['--carriers', 'sncf'],
    {},
    /^Cannot start: --carriers must be all, or some of [a-z,]+, got 'sncf'\n$/,
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
    `Cannot start: listen EADDRINUSE: address already in use 127.0.0.1:${port}; choose another --host or --port\n`,
  );
  expect(code).toBe(2);
});
