import { once } from 'node:events';
import { DispatchError } from '@ticketing/dispatch';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  addressOf,
  ask,
  checkClustersAfterEach,
  hideComplaints,
  start,
} from './cluster-fixture.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });
hideComplaints();

const throwsAtBoot = new URL('fixtures/throws-at-boot.ts', import.meta.url);
const failsToListen = new URL('fixtures/fails-to-listen.ts', import.meta.url);
const silent = new URL('fixtures/silent.ts', import.meta.url);
const restart = { backoffMs: [1, 60_000], maxFailures: 3 } as const;

async function whyNot(ready: Promise<void>): Promise<DispatchError> {
  const error = await ready.catch((reason: unknown) => reason);
  if (!DispatchError.is(error)) throw error;
  expect(error.code).toBe('ERR_CIRCUIT_OPEN');
  return error;
}

test('a program that throws at boot is started until the circuit opens; ready() rejects with the reason', async () => {
  const supervisor = start({ entry: throwsAtBoot, workers: 2, restart });
  const open = once(supervisor.events, 'circuit-open');
  const { message, cause } = await whyNot(supervisor.ready());
  expect(message).toBe(
    'Workers keep failing: Worker ended with exit code 1 before it listened: Error: no configuration',
  );
  expect(cause).toMatchObject({ code: 'ERR_WORKER_LOST', data: { exitCode: 1 } });
  expect((cause as DispatchError).data.stderrTail).toContain('Error: no configuration');
  expect(await open).toEqual([{ error: cause }]);
  await vi.waitFor(() => expect(supervisor.workers).toEqual([]), 60_000);
  // Four failures, and the workers that started beside the last of them.
  expect(supervisor.stats().dispatcher.spawned).toBeLessThanOrEqual(5);
  expect(supervisor.state).toBe('degraded');
});

test('the error of a program that cannot listen is the reason', async () => {
  const supervisor = start({
    entry: failsToListen,
    restart: { ...restart, maxFailures: 0 },
  });
  const { cause } = await whyNot(supervisor.ready());
  expect(cause).toMatchObject({ code: 'EADDRNOTAVAIL', syscall: 'listen' });
});

test('ready() rejects for a missing program, with the message of the loader', async () => {
  const supervisor = start({
    entry: new URL('fixtures/missing.ts', import.meta.url),
    restart: { ...restart, maxFailures: 0 },
  });
  const { cause } = await whyNot(supervisor.ready());
  expect((cause as DispatchError).data.stderrTail).toContain('Cannot find module');
});

test('a program that never calls clusterWorker() fails after startTimeoutMs', async () => {
  const supervisor = start({ entry: silent, startTimeoutMs: 500 });
  const { cause } = await whyNot(supervisor.ready());
  // The first start is reason enough, whatever `maxFailures` is.
  expect(supervisor.stats().dispatcher).toMatchObject({ spawned: 1, circuit: 'open' });
  expect(cause).toMatchObject({
    code: 'ERR_START_TIMEOUT',
    message:
      'Worker did not start within `startTimeoutMs` (500 ms); `entry` must call `clusterWorker`',
    data: { limit: 500 },
  });
});

test('a reload with a program that fails keeps the old workers', async () => {
  const supervisor = start({ startTimeoutMs: 5000 });
  await supervisor.ready();
  const { pid } = supervisor.workers[0] ?? {};
  vi.stubEnv('NODE_OPTIONS', '--no-such-option');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(supervisor.reload()).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
  expect(await ask(await addressOf(supervisor))).toMatchObject({ pid, status: 200 });
});
