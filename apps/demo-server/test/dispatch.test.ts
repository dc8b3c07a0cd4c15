import type { Journey } from '@ticketing/core';
import { lives } from '@ticketing/dispatch/testing';
import { describe, expect, test, vi } from 'vitest';
import { MADRID_BARCELONA, requestsAt, serveDemoBy, setPlan, startDemo, statsOf } from './demo.ts';

// Workers have the platform's clock: so have these servers, and no test asks for a day that could begin meanwhile.
const serveNow = (...argv: string[]) => serveDemoBy(Date.now, ...argv);
const date = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
const SEARCH = `${MADRID_BARCELONA}&date=${date}`;

const everywhere = ['in-process', 'fork', 'piscina', 'cluster'].flatMap((dispatch) =>
  ['whole', 'normalise'].map((offload) => ['--dispatch', dispatch, '--offload', offload]),
);

/** All but the time at which a carrier's bytes came. */
function timeless(journeys: readonly Journey[]): unknown {
  return JSON.parse(JSON.stringify(journeys), (name, value) =>
    name === 'fetchedAt' ? undefined : value,
  );
}

test('the same journeys wherever the carriers’ work runs', { timeout: 30_000 }, async () => {
  const seen: unknown[] = [];
  for (const flags of everywhere) {
    const { get } = await serveNow('--latency', '0', ...flags);
    const { status, body } = await get(SEARCH);
    expect([status, body.complete], flags.join(' ')).toEqual([200, true]);
    seen.push(timeless(body.journeys));
  }
  expect((seen[0] as Journey[]).length).toBeGreaterThanOrEqual(20);
  for (const journeys of seen) expect(journeys).toEqual(seen[0]);
});

describe.each(everywhere)('%s %s %s %s', (...flags) => {
  test('a carrier’s failure keeps its code, and others answer', async () => {
    const { get, carriersUrl } = await serveNow('--latency', '0', ...flags);
    await setPlan(carriersUrl, 'renfe', { fault: { kind: 'malformed-price' } });
    const { status, body } = await get(SEARCH);
    expect(status).toBe(200);
    expect(body.carriers).toMatchObject([
      { carrier: 'renfe', state: 'error', error: { code: 'PROTOCOL' } },
      { carrier: 'ouigo', state: 'ok' },
      { carrier: 'avlo', state: 'ok' },
    ]);
  });

  test('a carrier that hangs is aborted at the deadline', async () => {
    const argv = ['--latency', '0', '--deadline-ms', '1500', ...flags];
    const { get, carriersUrl } = await serveNow(...argv);
    await setPlan(carriersUrl, 'renfe', { fault: { kind: 'hang' } });
    const { status, body } = await get(SEARCH);
    expect(status).toBe(200);
    expect(body.carriers).toMatchObject([{ state: 'timeout' }, { state: 'ok' }, { state: 'ok' }]);
    await vi.waitFor(async () =>
      expect((await requestsAt(carriersUrl))['renfe']).toMatchObject({ aborted: 1, open: 0 }),
    );
  });

  test('/stats counts the tasks', async () => {
    const { get } = await serveNow('--latency', '0', ...flags);
    await get(SEARCH);
    const [stats] = await statsOf({ get });
    expect(stats.dispatch).toMatchObject({
      kind: flags[1],
      state: 'ready',
      asked: 3,
      completed: 3,
      running: 0,
      lost: 0,
    });
  });
});

test('--dispatch fork: a search survives the death of its workers, and none outlives the server', async () => {
  const { get, close } = await serveNow('--dispatch', 'fork', '--dispatch-workers', '2');
  await get(SEARCH);
  const pids = async (): Promise<number[]> =>
    (await get('/config')).body.processes
      .filter(({ role }: { role: string }) => role === 'task')
      .map(({ pid }: { pid: number }) => pid);
  const first = await pids();
  expect(first).toHaveLength(2);
  const search = get(SEARCH);
  await vi.waitFor(async () =>
    expect((await statsOf({ get }))[0].dispatch.running).toBeGreaterThan(0),
  );
  for (const pid of first) process.kill(pid, 'SIGKILL');
  expect((await search).body).toMatchObject({ complete: true });
  const second = await pids();
  expect(second.filter((pid) => first.includes(pid))).toEqual([]);
  await close();
  expect([...first, ...second].filter(lives)).toEqual([]);
});

test('USE_CHILD_PROCESSES=true dispatches to child processes, which SIGTERM ends with the server', async () => {
  const demo = await startDemo(['--latency', '0'], { USE_CHILD_PROCESSES: 'true' });
  const { processes } = (await (await fetch(`${demo.url}/config`)).json()) as {
    processes: { pid: number; role: string }[];
  };
  expect(processes.filter(({ role }) => role === 'task').length).toBeGreaterThan(0);
  demo.child.kill('SIGTERM');
  expect(await demo.exit()).toBe(0);
  expect(processes.filter(({ pid }) => lives(pid))).toEqual([]);
});
