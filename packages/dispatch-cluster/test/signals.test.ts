import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gone, lives } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkClustersAfterEach, start } from './cluster-fixture.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 60_000 });

const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const counts = () => names.map((name) => process.listenerCount(name));

test('with option signals the cluster handles signals until it is closed', async () => {
  const before = counts();
  const without = start();
  expect(counts()).toEqual(before);
  const supervisor = start({ signals: true });
  expect(counts()).toEqual(before.map((count) => count + 1));
  await supervisor.close();
  expect(counts()).toEqual(before);
  await without.close();
});

test('SIGHUP while workers start reloads once they serve; one that fails emits reload-failed', async () => {
  const supervisor = start({ signals: true });
  const first = once(supervisor.events, 'worker-ready');
  process.kill(process.pid, 'SIGHUP');
  const [{ pid = Number.NaN }] = await first;
  await gone(pid, 30_000);
  await supervisor.ready();
  const options = process.env['NODE_OPTIONS'];
  onTestFinished(() => {
    if (options === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = options;
  });
  process.env['NODE_OPTIONS'] = '--no-such-option';
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const failed = once(supervisor.events, 'reload-failed');
  process.kill(process.pid, 'SIGHUP');
  expect(await failed).toMatchObject([{ error: { code: 'ERR_WORKER_LOST' } }]);
});

test('close() while workers start: ready() resolves, and state shows it', async () => {
  const supervisor = start();
  const ready = supervisor.ready();
  const closed = supervisor.close();
  await ready;
  expect(['draining', 'closed']).toContain(supervisor.state);
  await closed;
  await supervisor.ready();
  expect(supervisor.state).toBe('closed');
});

test('SIGTERM while workers start: ready() resolves, and state shows it', async () => {
  const other = vi.fn();
  process.on('SIGTERM', other);
  onTestFinished(() => void process.off('SIGTERM', other));
  const supervisor = start({ signals: true });
  const ready = supervisor.ready();
  process.kill(process.pid, 'SIGTERM');
  await ready;
  expect(['draining', 'closed']).toContain(supervisor.state);
  await supervisor.close();
  await supervisor.ready();
  expect(other).toHaveBeenCalledOnce();
});

/** Sends a request that is answered when its worker drains. Resolves when a worker has it, with its answer's status. */
async function hold(url: string): Promise<{ readonly answer: Promise<number> }> {
  const request = http.request(`${url}/draining`, {
    agent: false,
    headers: { expect: '100-continue' },
  });
  const answer = new Promise<number>((resolve, reject) => {
    request.once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject);
  });
  request.flushHeaders();
  await once(request, 'continue');
  request.end();
  return { answer };
}

/** Starts the program as the leader of a process group, as a shell and a service manager do. */
async function startGroup() {
  const program = fileURLToPath(new URL('fixtures/signalled-primary.ts', import.meta.url));
  const args = ['--conditions=@ticketing/source', program];
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const group = -(child.pid as number);
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(group, 'SIGKILL');
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value ?? '';
  const { url, pids } = JSON.parse(await line()) as { url: string; pids: number[] };
  return { child, group, url, pids, line };
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to the whole group: no request is lost, no worker is started, and nothing is left [group-signals]',
  async (signal) => {
    const { child, group, url, pids, line } = await startGroup();
    const answers = await Promise.all(Array.from({ length: 6 }, () => hold(url)));
    const ended = once(child, 'exit');
    process.kill(group, signal);
    expect(await Promise.all(answers.map(({ answer }) => answer))).toEqual([
      200, 200, 200, 200, 200, 200,
    ]);
    expect(await ended).toEqual([0, null]);
    expect(await line()).toBe('2');
    expect(pids.filter(lives)).toEqual([]);
  },
);

test('SIGHUP to the whole group: no request is lost, and each worker has a successor [group-signals]', async () => {
  const { child, group, url, pids, line } = await startGroup();
  const answers = await Promise.all(Array.from({ length: 6 }, () => hold(url)));
  process.kill(group, 'SIGHUP');
  expect(await Promise.all(answers.map(({ answer }) => answer))).toEqual([
    200, 200, 200, 200, 200, 200,
  ]);
  await Promise.all(pids.map((pid) => gone(pid, 60_000)));
  const ended = once(child, 'exit');
  process.kill(group, 'SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(await line()).toBe('4');
});
