import { describe, expect, test } from 'vitest';
import { ASKED, eventually, requestsAt, setPlan, sharedServerBy, statsOf } from './demo.ts';
import { inProcessServer, SEARCH, serveNow, timeless } from './dispatch-cases.ts';
import { expectEqualCounts } from './equal-counts.ts';
import { readEvents } from './read-events.ts';

// Each search runs whole in a worker, and its events come over the border as they are made.
const offload = ['--offload', 'search', '--latency', '0'];
const flags = [...offload, '--dispatch-workers', '1'];
/** Only what a test does ends a search of these. */
const HELD = ['--deadline-ms', '60000'];

const hang = { fault: { kind: 'hang', share: 1 } };
/** What comes of a search while the first carrier hangs; the others may come in any order. */
const WITHOUT_RENFE = ['search-started', 'avlo', 'journeys-upsert', 'ouigo', 'journeys-upsert'];
const sorted = (seen: readonly string[]): string[] => [...seen].sort();

describe.each(['fork', 'piscina', 'cluster'] as const)(
  '--offload search --dispatch %s',
  (dispatch) => {
    const inProcess = inProcessServer();
    const shared = sharedServerBy(Date.now, ...flags, ...HELD, '--dispatch', dispatch);

    test('a document is that of this process; one task, and the search counts in its worker', async () => {
      const { get, url, carriersUrl } = shared();
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
      await setPlan(carriersUrl, 'renfe', hang);
      const { seen } = await readEvents(url + SEARCH, { until: WITHOUT_RENFE.length });
      expect(sorted(seen)).toEqual(sorted(WITHOUT_RENFE));
      await eventually(async () => {
        expect((await requestsAt(carriersUrl))['renfe']).toMatchObject({ aborted: 1, open: 0 });
        const [{ dispatch: pool }] = await statsOf({ get });
        expect(pool).toMatchObject({ running: 0, aborted: 1, lost: 0, killed: 0 });
        expect(pool.workers[0].moduleReport.search).toMatchObject({ running: 0, aborted: 1 });
      });
    });

    // A thread cannot be killed from outside.
    test.skipIf(dispatch === 'piscina')(
      'a worker that is lost is one last event, and the next search has another worker',
      async () => {
        const { get, url, carriersUrl } = shared();
        await setPlan(carriersUrl, 'renfe', hang);
        const [{ dispatch: before }] = await statsOf({ get });
        const { seen, last } = await readEvents(url + SEARCH, {
          onEvent(count) {
            if (count === WITHOUT_RENFE.length) process.kill(before.workers[0].pid, 'SIGKILL');
          },
        });
        expect(sorted(seen.slice(0, -1))).toEqual(sorted(WITHOUT_RENFE));
        const problem = { status: 503, instance: '/search' };
        expect(last).toMatchObject({ type: 'search-failed', problem });
        await setPlan(carriersUrl, 'renfe', { fault: null });
        const again = await readEvents(url + SEARCH);
        expect(again.last).toMatchObject({ type: 'search-done', complete: true });
        const [{ dispatch: after }] = await statsOf({ get });
        expect(after.lost).toBe(1);
      },
    );

    test('a stream of a bad query is a problem, not a stream', async () => {
      const { get } = shared();
      const headers = { accept: 'text/event-stream' };
      const answer = await get('/search?origin=Madrid&destination=Madrid', { headers });
      expect(answer).toMatchObject({ status: 400, type: 'application/problem+json' });
    });
  },
);

test('the worker ends a search at its deadline, with what it has', async () => {
  const { url, carriersUrl } = await serveNow(
    ...[...flags, '--dispatch', 'fork', '--deadline-ms', '1500'],
  );
  await setPlan(carriersUrl, 'renfe', hang);
  const { seen, last } = await readEvents(url + SEARCH);
  expect(seen.filter((each) => each === 'search-done')).toHaveLength(1);
  expect(last).toMatchObject({ complete: false, carriers: [{ state: 'timeout' }, {}, {}] });
});

test('in this process there is no worker: each carrier is a task', async () => {
  const { get, url } = await serveNow(...flags);
  const { last } = await readEvents(url + SEARCH);
  expect(last).toMatchObject({ type: 'search-done', complete: true });
  const [stats] = await statsOf({ get });
  expect(stats.dispatch).toMatchObject({ kind: 'in-process', completed: ASKED.length });
  expect(stats.search.complete).toBe(1);
});

test('where the primary runs the tasks there are no streams between processes: each carrier is a task', async () => {
  const { get, url } = await serveNow(
    ...[...offload, '--accept', 'cluster', '--workers', '1', '--dispatch', 'cluster'],
  );
  const { last } = await readEvents(url + SEARCH);
  expect(last).toMatchObject({ type: 'search-done', complete: true });
  const stats = await statsOf({ get });
  expect(stats[1].dispatch).toMatchObject({ kind: 'primary', completed: ASKED.length });
  expect(stats[1].search.complete).toBe(1);
});
