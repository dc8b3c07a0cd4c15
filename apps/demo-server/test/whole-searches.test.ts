import { expect, test } from 'vitest';
import { ASKED, statsOf } from './demo.ts';
import { SEARCH, serveNow } from './dispatch-cases.ts';
import { readEvents } from './read-events.ts';
import { flags, testWholeSearches } from './whole-searches-cases.ts';

// `test/full` has the other kinds of workers, those that are lost, and hosts.
testWholeSearches('fork');

test('in this process there is no worker: each carrier is a task', async () => {
  const { get, url } = await serveNow(...flags);
  const { last } = await readEvents(url + SEARCH);
  expect(last).toMatchObject({ type: 'search-done', complete: true });
  const [stats] = await statsOf({ get });
  expect(stats.dispatch).toMatchObject({ kind: 'in-process', completed: ASKED.length });
  expect(stats.search.complete).toBe(1);
});
