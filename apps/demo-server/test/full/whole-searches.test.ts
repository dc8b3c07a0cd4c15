import { beforeEach, expect, test } from 'vitest';
import {
  ASKED,
  eventually,
  requestsAt,
  setPlan,
  sharedServerBy,
  startHostProgram,
  statsOf,
} from '../demo.ts';
import { inProcessServer, SEARCH, serveNow, timeless } from '../dispatching-servers.ts';
import { expectEqualCounts } from '../equal-counts.ts';
import { describeWithNats, newFleet, sharedNats } from '../fleet.ts';
import { readEvents } from '../read-events.ts';
import {
  expectLostSearch,
  flags,
  HELD,
  hang,
  offload,
  sorted,
  WELL,
  WITHOUT_RENFE,
} from '../whole-searches.ts';

test('the worker ends a search at its deadline, with what it has', async () => {
  const { url, carriersUrl } = await serveNow(
    ...[...flags, '--dispatch', 'fork', '--deadline-ms', '1500'],
  );
  await setPlan(carriersUrl, 'renfe', hang);
  // A worker that gets no processor ends it later than this process waits: that answer is a problem, and the next may be right.
  await eventually(async () => {
    const { seen, last } = await readEvents(url + SEARCH);
    expect(seen.filter((each) => each === 'search-done')).toHaveLength(1);
    expect(last).toMatchObject({ complete: false, carriers: [{ state: 'timeout' }, {}, {}] });
  });
});

/** Searches in the hosts of a fleet, by name: they report to each that has a session with them. */
function hostSearches(workers: readonly { moduleReport?: { name: string; search: object } }[]) {
  return new Map(
    workers.flatMap(({ moduleReport: report }) => (report ? [[report.name, report.search]] : [])),
  );
}

describeWithNats('--offload search --dispatch nats', () => {
  const inProcess = inProcessServer();
  // It starts a server of NATS, and two hosts.
  const shared = sharedServerBy(Date.now, ...offload, ...HELD, '--dispatch', 'nats');
  beforeEach(() => setPlan(shared().carriersUrl, 'renfe', WELL));

  test('a document is that of this process; one task, and the search counts on its host', async () => {
    // A host that gets no processor is taken for lost, and the search runs here: then once more, from the start.
    const server = await eventually(async () => {
      const started = await serveNow(...offload, ...HELD, '--dispatch', 'nats');
      const { status, body } = await started.get(SEARCH);
      expect([status, body.complete]).toEqual([200, true]);
      const { body: expected } = await inProcess().get(SEARCH);
      expect(timeless(body.journeys)).toEqual(timeless(expected.journeys));
      const [stats] = await statsOf(started);
      expect(stats.dispatch).toMatchObject({ kind: 'nats', asked: 1, completed: 1, lost: 0 });
      expect(stats.search.complete).toBe(0);
      return started;
    });
    await expectEqualCounts(server, 1);
  });

  test('events come from the host as carriers answer', async () => {
    const { get, url, carriersUrl } = shared();
    await setPlan(carriersUrl, 'renfe', { latency: { kind: 'fixed', ms: 200 } });
    const count = WITHOUT_RENFE.length;
    await eventually(async () => {
      const [before] = await statsOf({ get });
      const { seen } = await readEvents(url + SEARCH);
      expect(sorted(seen.slice(0, count))).toEqual(sorted(WITHOUT_RENFE));
      expect(seen.slice(count)).toEqual(['renfe', 'journeys-upsert', 'search-done']);
      const [stats] = await statsOf({ get });
      expect(stats.search.complete).toBe(before.search.complete);
      const { asked, completed } = before.dispatch;
      expect(stats.dispatch).toMatchObject({ asked: asked + 1, completed: completed + 1 });
    });
  });

  test('a host that runs searches guards its carriers, and reports it', async () => {
    const { get, carriersUrl } = await serveNow(...offload, ...HELD, '--dispatch', 'nats');
    const fault = { kind: 'rate-limited', share: 1, retryAfterSeconds: 3600 };
    await setPlan(carriersUrl, 'renfe', { fault });
    await eventually(async () => {
      const { body } = await get(SEARCH);
      expect(body.carriers[0]).toMatchObject({ carrier: 'renfe', state: 'rate-limited' });
      const { body: view } = await get('/operator/state');
      const rows = view.carriers.filter(({ id }: { id: string }) => id === 'renfe');
      const hosts = rows.filter(({ process }: { process: string }) => process.startsWith('host-'));
      const refused = hosts.reduce(
        (sum: number, { guard }: { guard?: { refusedByRate: number } }) =>
          sum + (guard?.refusedByRate ?? 0),
        0,
      );
      expect(refused).toBeGreaterThan(0);
    });
    // Each of the two hosts has asked once; this process may have, while a host was taken for lost.
    expect((await requestsAt(carriersUrl))['renfe']?.arrived).toBeLessThanOrEqual(3);
  });

  test('while its hosts are silent a search runs here', async () => {
    const { get, url } = await serveNow(...offload, ...HELD, '--dispatch', 'nats');
    const pids = await eventually(async () => {
      const [{ dispatch }] = await statsOf({ get });
      const found = dispatch.workers.flatMap(
        ({ moduleReport }: { moduleReport?: { pid: number } }) => moduleReport?.pid ?? [],
      ) as number[];
      expect(found).toHaveLength(2);
      return found;
    });
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      // The first has been sent when its host is taken for lost; the next one finds none.
      const { status, body } = await get(SEARCH);
      expect([status, body.complete]).toEqual([200, true]);
      const { last } = await readEvents(url + SEARCH);
      expect(last).toMatchObject({ type: 'search-done', complete: true });
      const [{ search }] = await statsOf({ get });
      expect(search.complete).toBe(2);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
  });

  test('a client that leaves ends the search on the host', async () => {
    const { get, url, carriersUrl } = shared();
    const [{ dispatch: before }] = await statsOf({ get });
    const { aborted: abortedBefore = 0 } = (await requestsAt(carriersUrl))['renfe'] ?? {};
    const abortedOf = (searches: readonly object[]): number =>
      searches.reduce((sum, one) => sum + ('aborted' in one ? Number(one.aborted) : 0), 0);
    const endedBefore = abortedOf([...hostSearches(before.workers).values()]);
    await setPlan(carriersUrl, 'renfe', hang);
    const { seen } = await readEvents(url + SEARCH, { until: WITHOUT_RENFE.length });
    expect(sorted(seen)).toEqual(sorted(WITHOUT_RENFE));
    await eventually(async () => {
      expect((await requestsAt(carriersUrl))['renfe']).toMatchObject({
        aborted: abortedBefore + 1,
        open: 0,
      });
      const [{ dispatch: pool }] = await statsOf({ get });
      const { lost, aborted } = before;
      expect(pool).toMatchObject({ running: 0, aborted: aborted + 1, lost });
      const searches = [...hostSearches(pool.workers).values()];
      expect(abortedOf(searches)).toBe(endedBefore + 1);
    });
  });

  test('a host that is killed is one last event, and the next search has another host', async () => {
    const { get, url, carriersUrl } = await serveNow(...offload, ...HELD, '--dispatch', 'nats');
    await setPlan(carriersUrl, 'renfe', hang);
    type Row = { inFlight: number; moduleReport?: { pid: number } };
    let killed = false;
    const { seen, last } = await readEvents(url + SEARCH, {
      onEvent(count) {
        if (count !== WITHOUT_RENFE.length) return;
        // Its report may come after the search has begun.
        void eventually(async () => {
          const [{ dispatch }] = await statsOf({ get });
          const holder = dispatch.workers.find(({ inFlight }: Row) => inFlight > 0) as Row;
          killed = process.kill(holder.moduleReport?.pid as number, 'SIGKILL');
        });
      },
    });
    expect(killed).toBe(true);
    await expectLostSearch({ seen, last }, { url, carriersUrl });
  });
});

describeWithNats('--offload search --dispatch nats, by a fleet of its own', () => {
  const nats = sharedNats();

  test('without a host searches run here, each carrier a task, as documents and as streams', async () => {
    const { get, url } = await serveNow(
      ...[...offload, '--dispatch', 'nats', '--nats-url', nats().url, '--fleet', newFleet()],
    );
    const { last } = await readEvents(url + SEARCH);
    expect(last).toMatchObject({ type: 'search-done', complete: true });
    const { status, body } = await get(SEARCH);
    expect([status, body.complete]).toEqual([200, true]);
    const [stats] = await statsOf({ get });
    expect(stats.search.complete).toBe(2);
    expect(stats.dispatch.fallback).toMatchObject({ ran: 2 * ASKED.length });
  });

  test('a host with workers has them run the search, and its events come through both', async () => {
    const fleet = newFleet();
    const { get, url, carriersUrl } = await serveNow(
      ...[...offload, '--dispatch', 'nats', '--nats-url', nats().url, '--fleet', fleet, ...HELD],
    );
    const { child } = await startHostProgram([
      ...['--nats-url', nats().url, '--fleet', fleet, '--carriers-url', carriersUrl],
      ...['--name', 'one', '--dispatch', 'fork', '--dispatch-workers', '1', ...HELD],
    ]);
    await eventually(async () => {
      const [{ dispatch }] = await statsOf({ get });
      expect([...hostSearches(dispatch.workers).keys()]).toEqual(['one']);
    });
    await setPlan(carriersUrl, 'renfe', { latency: { kind: 'fixed', ms: 200 } });
    const { seen } = await readEvents(url + SEARCH);
    expect(seen.slice(-3)).toEqual(['renfe', 'journeys-upsert', 'search-done']);
    const [{ search }] = await statsOf({ get });
    expect(search.complete).toBe(0);
    await expectEqualCounts({ url, carriersUrl }, 1);
    child.kill('SIGTERM');
  });
});

test('where the primary has server processes run the tasks each carrier is a task', async () => {
  const { get, url } = await serveNow(
    ...[...offload, '--accept', 'cluster', '--workers', '1', '--dispatch', 'cluster'],
  );
  const { last } = await readEvents(url + SEARCH);
  expect(last).toMatchObject({ type: 'search-done', complete: true });
  const stats = await statsOf({ get });
  expect(stats[1].dispatch).toMatchObject({ kind: 'primary', completed: ASKED.length });
  expect(stats[1].search.complete).toBe(1);
});
