import { lives } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { eventually, statsOf } from './demo.ts';
import { inProcessServer, SEARCH, serveNow, testDispatch } from './dispatch-cases.ts';
import { testedDispatches } from './fleet.ts';

const inProcess = inProcessServer();
for (const name of testedDispatches) {
  const offload = name === 'in-process' ? 'normalise' : 'whole';
  testDispatch(inProcess, '--dispatch', name, '--offload', offload);
}

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
