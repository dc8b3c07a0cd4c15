import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gone, isFullScale, lives, scaled } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';

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
  const program = fileURLToPath(new URL('../fixtures/signalled-primary.ts', import.meta.url));
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

const signals = scaled<readonly NodeJS.Signals[]>({
  fast: ['SIGTERM'],
  full: ['SIGTERM', 'SIGINT'],
});

test.each(signals)(
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

test.runIf(isFullScale())(
  'SIGHUP to the whole group: no request is lost, and each worker has a successor [group-signals]',
  async () => {
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
  },
);
