import { lives } from '@ticketing/test-kit';
import { describe, expect, test } from 'vitest';
import { eventually, requestsAt, setPlan, startDemo, statsOf } from '../demo.ts';
import { SEARCH, serveNow } from '../dispatching-servers.ts';
import { testedDispatches } from '../fleet.ts';

const everywhere = testedDispatches.flatMap((dispatch) =>
  ['whole', 'normalise'].map((offload) => ['--dispatch', dispatch, '--offload', offload]),
);

describe.each(everywhere)('%s %s %s %s', (...flags) => {
  test('a carrier that hangs is aborted at the deadline', async () => {
    const argv = ['--latency', '0', '--deadline-ms', '6000', ...flags];
    const { get, carriersUrl } = await serveNow(...argv);
    // Workers have started: of the time of the next search the others need next to nothing.
    await get(SEARCH);
    await setPlan(carriersUrl, 'renfe', { fault: { kind: 'hang' } });
    const { status, body } = await get(SEARCH);
    expect(status).toBe(200);
    expect(body.carriers).toMatchObject([{ state: 'timeout' }, { state: 'ok' }, { state: 'ok' }]);
    await eventually(async () =>
      expect((await requestsAt(carriersUrl))['renfe']).toMatchObject({ aborted: 1, open: 0 }),
    );
  });
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
  await eventually(async () =>
    expect((await statsOf({ get }))[0].dispatch.running).toBeGreaterThan(0),
  );
  for (const pid of first) process.kill(pid, 'SIGKILL');
  expect((await search).body).toMatchObject({ complete: true });
  const second = await pids();
  expect(second.filter((pid) => first.includes(pid))).toEqual([]);
  await close();
  expect([...first, ...second].filter(lives)).toEqual([]);
});
