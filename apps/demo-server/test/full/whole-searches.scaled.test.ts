import { isFullScale } from '@ticketing/test-kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { DISPATCHES_WITH_WORKERS, type DispatchName } from '../../src/flags/dispatch-kinds.ts';
import { ASKED, eventually, requestsAt, setPlan, sharedServerBy, statsOf } from '../demo.ts';
import { inProcessServer, SEARCH, serveNow, timeless } from '../dispatching-servers.ts';
import { expectEqualCounts } from '../equal-counts.ts';
import { readEvents } from '../read-events.ts';
import {
  expectLostSearch,
  flags,
  HELD,
  hang,
  sorted,
  WELL,
  WITHOUT_RENFE,
} from '../whole-searches.ts';

/** Proves that whole searches run in workers of a kind, in the eyes of clients as in this process. */
function testWholeSearches(dispatch: DispatchName): void {
  describe(`--offload search --dispatch ${dispatch}`, () => {
    const inProcess = inProcessServer();
    const shared = sharedServerBy(Date.now, ...flags, ...HELD, '--dispatch', dispatch);
    beforeEach(() => setPlan(shared().carriersUrl, 'renfe', WELL));

    test('a document is that of this process; one task, and the search counts in its worker', async () => {
      const { get, url, carriersUrl } = await serveNow(...flags, ...HELD, '--dispatch', dispatch);
      const { status, body } = await get(SEARCH);
      expect([status, body.complete]).toEqual([200, true]);
      const { body: expected } = await inProcess().get(SEARCH);
      expect(timeless(body.journeys)).toEqual(timeless(expected.journeys));
      expect(body.carriers.map(({ carrier }: { carrier: string }) => carrier)).toEqual(ASKED);
      const [stats] = await statsOf({ get });
      expect(stats.dispatch).toMatchObject({ kind: dispatch, asked: 1, completed: 1 });
      expect(stats.search.complete).toBe(0);
      await expectEqualCounts({ url, carriersUrl }, 1);
    });

    test('the answers of fast carriers come before that of a slow one', async () => {
      const { url, carriersUrl } = shared();
      await setPlan(carriersUrl, 'renfe', { latency: { kind: 'fixed', ms: 200 } });
      const { seen } = await readEvents(url + SEARCH);
      const count = WITHOUT_RENFE.length;
      expect(sorted(seen.slice(0, count))).toEqual(sorted(WITHOUT_RENFE));
      expect(seen.slice(count)).toEqual(['renfe', 'journeys-upsert', 'search-done']);
    });

    test('a client that leaves ends the search in the worker', async () => {
      const { get, url, carriersUrl } = shared();
      const [{ dispatch: before }] = await statsOf({ get });
      const { aborted: callsBefore = 0 } = (await requestsAt(carriersUrl))['renfe'] ?? {};
      const { aborted: searchesBefore = 0 } = before.workers[0].moduleReport?.search ?? {};
      await setPlan(carriersUrl, 'renfe', hang);
      const { seen } = await readEvents(url + SEARCH, { until: WITHOUT_RENFE.length });
      expect(sorted(seen)).toEqual(sorted(WITHOUT_RENFE));
      await eventually(async () => {
        expect((await requestsAt(carriersUrl))['renfe']).toMatchObject({
          ...{ aborted: callsBefore + 1, open: 0 },
        });
        const [{ dispatch: pool }] = await statsOf({ get });
        const { aborted, lost, killed } = before;
        expect(pool).toMatchObject({ running: 0, aborted: aborted + 1, lost, killed });
        const report = pool.workers[0].moduleReport;
        expect(report.search).toMatchObject({ running: 0, aborted: searchesBefore + 1 });
      });
    });

    test('a stream of a bad query is a problem, not a stream', async () => {
      const { get } = shared();
      const headers = { accept: 'text/event-stream' };
      const answer = await get('/search?origin=Madrid&destination=Madrid', { headers });
      expect(answer).toMatchObject({ status: 400, type: 'application/problem+json' });
    });
  });
}

/** Proves what becomes of a search whose worker is lost. A thread cannot be killed from outside. */
function testLostWorker(dispatch: 'fork' | 'cluster'): void {
  test(`--offload search --dispatch ${dispatch}: a worker that is lost is one last event, and the next search has another worker`, async () => {
    const { get, url, carriersUrl } = await serveNow(...flags, ...HELD, '--dispatch', dispatch);
    await setPlan(carriersUrl, 'renfe', hang);
    const [{ dispatch: before }] = await statsOf({ get });
    const { seen, last } = await readEvents(url + SEARCH, {
      onEvent(count) {
        if (count === WITHOUT_RENFE.length) process.kill(before.workers[0].pid, 'SIGKILL');
      },
    });
    await expectLostSearch({ seen, last }, { url, carriersUrl });
    const [{ dispatch: after }] = await statsOf({ get });
    expect(after.lost).toBe(1);
  });
}

for (const dispatch of isFullScale() ? DISPATCHES_WITH_WORKERS : (['fork'] as const)) {
  testWholeSearches(dispatch);
}
if (isFullScale()) {
  testLostWorker('fork');
  testLostWorker('cluster');
}

test('in this process there is no worker: each carrier is a task', async () => {
  const { get, url } = await serveNow(...flags);
  const { last } = await readEvents(url + SEARCH);
  expect(last).toMatchObject({ type: 'search-done', complete: true });
  const [stats] = await statsOf({ get });
  expect(stats.dispatch).toMatchObject({ kind: 'in-process', completed: ASKED.length });
  expect(stats.search.complete).toBe(1);
});
