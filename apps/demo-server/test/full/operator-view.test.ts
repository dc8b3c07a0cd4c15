import { expect, test } from 'vitest';
import { getFrom, MADRID_BARCELONA, requestsAt, sharedProcess } from '../demo.ts';
import { statsAt, statuses, sum, viewOf } from '../operator-view-cases.ts';

const several = sharedProcess(
  ...['--accept', 'socket', '--workers', '2', '--latency', '0', '--route-by', 'none'],
  ...['--dispatch', 'cluster', '--coalesce', 'machine'],
);

test('several: each task is counted once, in the pool of its workers, without the questions for the counters', async () => {
  const { url } = several();
  for (let at = 0; at < 4; at += 1) {
    const headers = { connection: 'close' };
    expect((await getFrom(url + MADRID_BARCELONA, { headers })).status).toBe(200);
  }
  const stats = await statsAt(url);
  const argv = ['--accept', 'socket', '--workers', '2', '--dispatch', 'cluster'];
  const view = viewOf(statuses(stats), ...argv, '--coalesce', 'machine');
  expect(view.processes.map(({ id, kind, state }) => [id, kind, state])).toEqual([
    ['primary', 'primary', 'ready'],
    ['server-0', 'server', 'ready'],
    ['server-1', 'server', 'ready'],
  ]);
  const asked = (scope: string) =>
    sum(view.coalesce.filter((row) => row.scope === scope).map((row) => row.asked));
  expect([asked('process'), asked('machine')]).toEqual([4, 4]);
  // The primary searches: three tasks for each search, on the server processes.
  expect(view.pools).toMatchObject([{ id: 'primary/serving', kind: 'cluster', completed: 12 }]);
  const upstream = Object.values(await requestsAt(several().carriersUrl));
  expect(sum(view.carriers.map(({ http }) => http.sent))).toBe(
    sum(upstream.map(({ arrived }) => arrived)),
  );
  expect(sum(view.carriers.map(({ states }) => states['ok'] ?? 0))).toBe(12);
  expect(view.router).toMatchObject({ refused: 0, workers: [{ slot: '0' }, { slot: '1' }] });
  expect(sum(view.processes.map(({ requests = 0 }) => requests))).toBeGreaterThanOrEqual(4);
});
