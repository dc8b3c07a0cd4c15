import { expect, test } from 'vitest';
import { ASKED, setPlan, statsOf } from './demo.ts';
import { SEARCH, serveNow } from './dispatch-cases.ts';
import { newFleet, sharedNats, testWithNats } from './fleet.ts';
import { readEvents } from './read-events.ts';
import { flags, hang, offload, testWholeSearches } from './whole-searches-cases.ts';

// `test/full` has the other kinds of workers, and hosts.
testWholeSearches('fork');

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

const nats = sharedNats();

testWithNats(
  'without a host searches run here, each carrier a task, as documents and as streams',
  async () => {
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
  },
);
