import { defineTasks } from '@ticketing/dispatch';
import { expect, test, vi } from 'vitest';
import type { Supervisor } from '../../src/index.ts';
import { addressOf, ask, checkClustersAfterEach, start } from '../cluster-fixture.ts';
import type { RelayingTasks } from '../fixtures/relaying-worker.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

/** A cluster whose requests need tasks of its own workers, which begin once `gate` is open. */
function startRelaying(
  workers: number,
  shutdown = { lameDuckMs: 300, graceMs: 3000 },
  gate = Promise.resolve(),
) {
  const running: number[] = [];
  const primaryTasks = defineTasks({
    async relay(ms: number): Promise<number> {
      running.push(ms);
      await gate;
      return supervisor.dispatcher<RelayingTasks>().run('later', ms);
    },
  });
  const entry = new URL('../fixtures/relaying-worker.ts', import.meta.url);
  const supervisor: Supervisor = start({ entry, workers, primaryTasks, shutdown });
  return { supervisor, running };
}

test('close() lets tasks run until the last request is answered', async () => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { supervisor, running } = startRelaying(2, undefined, gate);
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const answers = [1, 2, 3, 4].map(() => ask(`${url}/300`));
  await vi.waitFor(() => expect(running).toHaveLength(4), 60_000);
  const closed = supervisor.close();
  expect(supervisor.state).toBe('draining');
  open();
  for (const { status, pid } of await Promise.all(answers)) {
    expect(status).toBe(200);
    expect(pid).toBeGreaterThan(0);
  }
  await closed;
  expect(supervisor.stats()).toMatchObject({ state: 'closed', requests: 4 });
});

test('close() ends after its grace though a request does not', async () => {
  // Without the option it would end after the time of this test.
  const { supervisor, running } = startRelaying(1, { lameDuckMs: 300, graceMs: 1_000_000 });
  await supervisor.ready();
  const answer = ask(`${await addressOf(supervisor)}/1000000`).catch((error) => error);
  await vi.waitFor(() => expect(running).toHaveLength(1), 60_000);
  await supervisor.close({ graceMs: 400 });
  expect(await answer).toBeInstanceOf(Error);
});

test('close() does not wait for a worker that ends in the meantime', async () => {
  const { supervisor, running } = startRelaying(1, { lameDuckMs: 0, graceMs: 1_000_000 });
  await supervisor.ready();
  const [worker] = supervisor.workers;
  const answer = ask(`${await addressOf(supervisor)}/1000000`).catch((error) => error);
  await vi.waitFor(() => expect(running).toHaveLength(1), 60_000);
  const closed = supervisor.close();
  process.kill(worker?.pid ?? Number.NaN, 'SIGKILL');
  await closed;
  expect(await answer).toBeInstanceOf(Error);
});
